/** The parts of a backup that are read from the host; the panel provides the rest. */
export const readParts = ['files', 'mail'] as const
export type ReadPart = (typeof readParts)[number]

export const savedParts = [...readParts, 'mysql', 'dns', 'config'] as const
export type BackupPartName = (typeof savedParts)[number]
