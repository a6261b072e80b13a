import { existsSync } from 'node:fs'
import { type Program, places } from '../parts/server/programs.ts'

/** What `panel host setup` gives each program. */
const brought: Readonly<Record<Program, string>> = {
  webmail: '/var/lib/roundcube/plugins/panel/panel.php',
  phpmyadmin: '/var/lib/panel-phpmyadmin/open.php',
}

/** The programs with a name of their own that are installed and that the panel serves. */
export const programsHere = (root = ''): Program[] =>
  (Object.keys(brought) as Program[]).filter((one) => places[one].length > 0 && existsSync(root + brought[one]))
