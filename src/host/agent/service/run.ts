import { setPriority } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { version } from '../../../contract/version.ts'
import { createDirectoryDriver } from '../../directory.ts'
import type { Faults } from '../../install/engine.ts'
import { withUserMessage } from '../../install/user-message.ts'
import { HostAgent } from './agent.ts'
import { becomeAlone, inherited } from './local.ts'
import { serveConnection } from './session.ts'

/** The descriptor that the panel hands its child. */
const connection = 3
/** Nicer than the panel. */
const afterRequests = 5

/** The agent as a child of `panel serve`: `host agent --root DIR`. Ends with its connection. */
export async function runAgent(words: readonly string[], faults?: Faults): Promise<void> {
  const root = rootOf(words)
  const stream = inherited(connection)
  if (root === undefined || stream === undefined) return refuse()
  process.title = 'panel host agent'
  process.umask(0o077)
  giveWay()
  // They go to everybody at the terminal or in the service; the panel says when it is over.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  await serveConnection(stream, start(root, faults))
  // What was under way is as after kill -9: the next start undoes it.
  process.exit(0)
}

/** Answers that are waited for go before files that a job writes, where the system lets a process say so. */
function giveWay(): void {
  try {
    setPriority(afterRequests)
  } catch {
    // A filter of system calls may forbid it; the work is the same.
  }
}

async function start(root: string, faults: Faults | undefined): Promise<HostAgent> {
  const server = await withUserMessage('stage', () => becomeAlone(root))
  const driver = createDirectoryDriver({ root, ...(faults && { faults }) })
  const agent = await HostAgent.start({ driver, root, build: version })
  server.on('connection', (stream) => void agent.carry(stream))
  return agent
}

function rootOf(words: readonly string[]): string | undefined {
  try {
    const { values } = parseArgs({ args: [...words], options: { root: { type: 'string' } }, allowPositionals: true })
    return values.root === undefined ? undefined : resolve(values.root)
  } catch {
    return undefined
  }
}

function refuse(): void {
  process.stderr.write('error: the host agent is started by `panel serve`, not by hand\nhint: panel serve\n')
  process.exitCode = 2
}
