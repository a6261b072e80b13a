import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isHostname } from '../protocol/arrival.ts'

const run = promisify(execFile)
/** Where `panel host setup` stores the given hostname. */
const place = 'etc/default/panel'

/** The machine's hostname: as set up, else the system's. Undefined unless fully qualified. */
export async function hostnameOf(root: string): Promise<string | undefined> {
  const name = (given(join(root, place)) ?? (root === '/' ? await own() : '')).toLowerCase()
  return isHostname(name) ? name : undefined
}

const given = (file: string): string | undefined =>
  existsSync(file) ? /^PANEL_HOSTNAME=(\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined

const own = (): Promise<string> =>
  run('/usr/bin/hostname', ['--fqdn']).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
