import type { ProgramName } from '../../programs.ts'
import { phpmyadmin } from './programs/phpmyadmin.ts'
import { webmail } from './programs/webmail.ts'

/** Programs that have a name of the server's to themselves. */
export type Program = ProgramName

/** The lines of each program's server block on port 443, below its head. */
export const places: Readonly<Record<Program, readonly string[]>> = { webmail, phpmyadmin }
