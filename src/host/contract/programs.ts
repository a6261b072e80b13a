/** The machine's programs that links open, each for one account's data. */
export const programNames = ['phpmyadmin', 'webmail'] as const
export type ProgramName = (typeof programNames)[number]

/** How long a link is valid, in milliseconds. */
export const linkLife = 60_000
