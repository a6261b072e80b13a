import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isHostname } from '../protocol/arrival.ts'

const run = promisify(execFile)
/** Where `panel host setup` writes the name that it was given. */
const place = 'etc/default/panel'

/** What a machine is called: as it was set up, else as it calls itself. Undefined where that is not a fully qualified name. */
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
