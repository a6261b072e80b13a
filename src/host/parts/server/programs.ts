/** Programs that have a name of the server's to themselves. */
export type Program = 'webmail' | 'phpmyadmin'

type Lines = readonly string[]

/** The lines of each program's server block on port 443, below its head; without any it answers 404. */
export const places: Readonly<Record<Program, Lines>> = { webmail: [], phpmyadmin: [] }
