import { HostAgent } from '../../src/host/agent/service/agent.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { machineClock } from '../../src/host/nodes/node/clock.ts'
import { Dialer } from '../../src/host/nodes/node/dialer.ts'
import { Identity } from '../../src/host/nodes/node/identity.ts'

// Node agents of a bench: each below a directory that has joined.

for (const root of process.argv.slice(2)) {
  const identity = Identity.read(root)!
  const agent = await HostAgent.start({
    driver: createDirectoryDriver({ root }),
    root,
    build: 'bench',
    node: identity.known.name,
  })
  void new Dialer({ identity, agent, root, clock: machineClock, say: () => {} }).run()
}
