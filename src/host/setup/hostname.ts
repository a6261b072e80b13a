import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { label, longestName } from '../../shared/patterns.ts'
import { SetupError } from './error.ts'
import type { Ground } from './ground.ts'
import { optionsFile } from './steps/panel.ts'

/** The server's name: as given, else from an earlier setup, else the machine's own. */
export async function serverName(ground: Ground, given: string | undefined): Promise<string> {
  const name = (given ?? before(ground) ?? (await own(ground))).toLowerCase()
  if (name.length <= longestName && new RegExp(`^(?:${label}\\.)*${label}$`).test(name)) return name
  throw new SetupError(`${name} is not a host name.`, 'panel host setup --hostname server.example.com')
}

const before = (ground: Ground): string | undefined => /^PANEL_HOSTNAME=(\S+)$/m.exec(serverOptions(ground))?.[1]

/** The server's options. */
export const serverOptions = ({ root }: Ground): string =>
  existsSync(root + optionsFile) ? readFileSync(root + optionsFile, 'utf8') : ''

const own = async ({ run }: Ground): Promise<string> =>
  (await run('/usr/bin/hostname', ['--fqdn']).catch(() => '')).trim() || hostname()
