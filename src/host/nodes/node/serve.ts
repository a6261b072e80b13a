import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { notifyReady } from '../../../shared/service-manager.ts'
import { isHostname } from '../../agent/protocol/node-hello.ts'
import type { HostAgent } from '../../agent/service/agent.ts'
import { exitWhenStopped } from '../../agent/service/service.ts'
import { machineClock as clock } from './clock.ts'
import { Dialer } from './dialer.ts'
import { Identity } from './identity.ts'

const run = promisify(execFile)
/** Where `panel host setup` stores the given hostname. */
const place = 'etc/default/panel'

/** The machine's hostname: as set up, else the system's. Undefined unless fully qualified. */
export async function hostnameOf(root: string): Promise<string | undefined> {
  const name = (configuredName(join(root, place)) ?? (root === '/' ? await own() : '')).toLowerCase()
  return isHostname(name) ? name : undefined
}

const configuredName = (file: string): string | undefined =>
  existsSync(file) ? /^PANEL_HOSTNAME=(\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined

const own = (): Promise<string> =>
  run('/usr/bin/hostname', ['--fqdn']).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )

/** Serves the panel that this machine has joined, until stopped. */
export async function serveNode(root: string, start: (node: string) => Promise<HostAgent>): Promise<void> {
  const identity = Identity.read(root)
  if (!identity) throw new Error('This machine has not joined a panel: run the line that `panel nodes create` printed.')
  // Work in flight is left as after kill -9: the next start undoes it.
  const starting = start(identity.known.name)
  exitWhenStopped(() => starting)
  const agent = await starting
  notifyReady()
  const hostname = await hostnameOf(root)
  await new Dialer({ identity, agent, root, hostname, clock, say: (line) => process.stderr.write(`${line}\n`) }).run()
  throw new Error('This machine has joined as another node: start the agent again.')
}
