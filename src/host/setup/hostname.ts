import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { label, longestName } from '../../shared/patterns.ts'
import { SetupError } from './error.ts'
import type { Ground } from './ground.ts'
import { optionsFile } from './steps/panel.ts'

/** The server's name: as given, else as set up before, else the machine's own. */
export async function serverName(ground: Ground, given: string | undefined): Promise<string> {
  const name = (given ?? before(ground) ?? (await own(ground))).toLowerCase()
  if (name.length <= longestName && new RegExp(`^(?:${label}\\.)*${label}$`).test(name)) return name
  throw new SetupError(`${name} is not a host name.`, 'panel host setup --hostname server.example.com')
}

function before({ root }: Ground): string | undefined {
  const file = root + optionsFile
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return /^PANEL_HOSTNAME=(\S+)$/m.exec(text)?.[1]
}

const own = async ({ run }: Ground): Promise<string> =>
  (await run('/usr/bin/hostname', ['--fqdn']).catch(() => '')).trim() || hostname()
