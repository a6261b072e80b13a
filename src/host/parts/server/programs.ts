import type { ProgramName } from '../../contract/programs.ts'
import { phpmyadmin } from './programs/phpmyadmin.ts'
import { webmail } from './programs/webmail.ts'

/** Programs with a server name of their own. */
export type Program = ProgramName

/** The body of each program's server block on port 443. */
export const places: Readonly<Record<Program, readonly string[]>> = { webmail, phpmyadmin }
