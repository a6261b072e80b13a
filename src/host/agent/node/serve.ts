import { tellReady } from '../../../shared/service-manager.ts'
import type { HostAgent } from '../service/agent.ts'
import { machineClock as clock } from './clock.ts'
import { Dialer } from './dialer.ts'
import { hostnameOf } from './hostname.ts'
import { Identity } from './identity.ts'

/** Serves the panel that this machine has joined, until stopped. */
export async function serveNode(root: string, start: (node: string) => Promise<HostAgent>): Promise<void> {
  const identity = Identity.read(root)
  if (!identity) throw new Error('This machine has not joined a panel: run the line that `panel nodes create` printed.')
  // Work in flight is left as after kill -9: the next start undoes it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
  const agent = await start(identity.known.name)
  tellReady()
  const hostname = await hostnameOf(root)
  await new Dialer({ identity, agent, root, hostname, clock, say: (line) => process.stderr.write(`${line}\n`) }).run()
  throw new Error('This machine has joined as another node: start the agent again.')
}
