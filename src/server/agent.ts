import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { version } from '../contract/version.ts'
import { agentFolder, childTransport } from '../host/agent/client/child.ts'
import { AgentClient } from '../host/agent/client/client.ts'
import { systemClock } from '../runtime/clock.ts'
import type { Log } from '../runtime/runtime.ts'

/** What Node is started with to be the agent: `panel host agent`, with little room for what is soon garbage. */
const shipped = (): readonly string[] => [
  '--max-semi-space-size=2',
  fileURLToPath(new URL('../../bin/panel.js', import.meta.url)),
  'host',
  'agent',
]

/** The agent that keeps the host's files below the data directory: a child of this process. */
export function childAgent(dataDir: string, log: Log, words = shipped()): AgentClient {
  const root = join(dataDir, 'host')
  const said = (line: string): void => log.warn({ line }, 'the host agent says')
  return new AgentClient({
    transport: childTransport([...words, '--root', root], join(root, agentFolder), said),
    build: version,
    after: systemClock.after,
    log,
  })
}
