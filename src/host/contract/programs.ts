/** The machine's programs that links open, each for one account's data. */
export const programNames = ['phpmyadmin', 'webmail'] as const
export type ProgramName = (typeof programNames)[number]

export const isProgram = (name: string): name is ProgramName => programNames.some((one) => one === name)

/** How long a link is valid, in milliseconds. */
export const linkLife = 60_000
