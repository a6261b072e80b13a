import { existsSync } from 'node:fs'
import { type Program, places } from '../parts/server/programs.ts'

/** What the packages of the programs bring. */
const brought: Readonly<Record<Program, string>> = {
  webmail: '/usr/share/roundcube/index.php',
  phpmyadmin: '/usr/share/phpmyadmin/index.php',
}

/** The programs with a name of their own that are installed and that the panel serves. */
export const programsHere = (root = ''): Program[] =>
  (Object.keys(brought) as Program[]).filter((one) => places[one].length > 0 && existsSync(root + brought[one]))
