import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { version } from '../contract/version.ts'
import { agentFolder, childTransport } from '../host/agent/client/child.ts'
import { AgentClient } from '../host/agent/client/client.ts'
import { socketTransport } from '../host/agent/client/socket.ts'
import { systemClock } from '../runtime/clock/clock.ts'
import type { Log } from '../runtime/runtime.ts'
import type { Leadership } from '../runtime/settings/leadership.ts'
import { driverOf, hostSocket } from '../shared/driver.ts'

/** The Node arguments of the agent: `panel host agent`, with a small young generation. */
const shipped = (): readonly string[] => [
  '--max-semi-space-size=2',
  fileURLToPath(new URL('../../bin/panel.js', import.meta.url)),
  'host',
  'agent',
]

/** The agent configured for this data directory; by default one with a host of its own. */
export const agentFor = (dataDir: string, log: Log, reached: Reached): AgentClient =>
  driverOf(dataDir) === 'debian' ? serviceAgent(log, reached) : childAgent(dataDir, log, reached)

/** How to reach an agent, if not by the defaults. */
export interface Reached {
  readonly words?: readonly string[] | undefined
  readonly trustTenants?: boolean | undefined
  readonly socket?: string | undefined
  readonly leadership: Leadership
}

/** This machine's agent, which runs as root. */
function serviceAgent(log: Log, { socket = hostSocket, leadership }: Reached): AgentClient {
  const client = new AgentClient({
    transport: socketTransport(socket),
    build: version,
    after: systemClock.after,
    log,
    leadership,
    service: true,
  })
  client.open()
  return client
}

/** The agent that keeps the host's files below the data directory, as a child process. */
function childAgent(
  dataDir: string,
  log: Log,
  { words = shipped(), trustTenants = false, leadership }: Reached,
): AgentClient {
  const root = join(dataDir, 'host')
  const allowed = trustTenants ? ['--trust-tenants'] : []
  const logLine = (line: string): void => log.warn({ line }, 'the host agent says')
  return new AgentClient({
    transport: childTransport([...words, '--root', root, ...allowed], join(root, agentFolder), logLine),
    build: version,
    after: systemClock.after,
    log,
    leadership,
  })
}
