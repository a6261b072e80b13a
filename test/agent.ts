import { AgentClient, type Reigning } from '../src/host/agent/client/client.ts'
import type { Transport } from '../src/host/agent/client/transport.ts'
import { HostAgent } from '../src/host/agent/service/agent.ts'
import { serveConnection } from '../src/host/agent/service/session.ts'
import type { HostDriver } from '../src/host/contract/driver.ts'
import { type Clock, systemClock } from '../src/runtime/clock/clock.ts'
import type { Log } from '../src/runtime/runtime.ts'
import { connected } from './socket-pair.ts'

/** An agent in this process: the same frames over a pair of streams, without the cost of a process. */
export function transportTo(starting: () => Promise<HostAgent>): Transport {
  return async () => {
    const [own, theirs] = connected()
    const agent = starting()
    // Like its process, whose end stops everything running on the host.
    const ended = serveConnection(theirs, agent).then(async () => {
      await agent.then((one) => one.close()).catch(() => {})
      return 'The host agent exited.'
    })
    const bulk = async () => {
      const [current, there] = connected()
      void (await agent).carry(there)
      return current
    }
    return { stream: own, ended, bulk, kill: () => void theirs.destroy() }
  }
}

interface Beside {
  readonly driver: HostDriver
  readonly root: string
  readonly log: Log
  readonly service?: boolean
  /** The control plane's own if none is given. */
  readonly node?: string
  readonly leadership?: Reigning
  readonly clock?: Clock
}

/** A client whose agent is in this process too; their link uses real time, like its I/O. */
export const agentWithOptions = ({
  driver,
  root,
  log,
  service = false,
  node = 'local',
  leadership,
  clock = systemClock,
}: Beside): AgentClient =>
  new AgentClient({
    transport: transportTo(() =>
      HostAgent.start({ driver, root, build: 'test', node, after: (...when) => clock.after(...when) }),
    ),
    build: 'test',
    node,
    after: systemClock.after,
    log,
    service,
    ...(leadership && { leadership }),
  })
