import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { notifyReady } from '../../../shared/service-manager.ts'
import { bulkSocket } from '../protocol/socket.ts'
import type { HostAgent } from './agent.ts'
import { listenAt } from './listen.ts'
import { serveConnection } from './session.ts'

/** Service managers kill what does not end within seconds. */
const CHECKPOINT_TIMEOUT_MS = 5_000

/** Serves panels on a socket, one after the other, until stopped. */
export async function serveSocket(path: string, start: () => Promise<HostAgent>): Promise<void> {
  const agent = once(start)
  const carry = (stream: Duplex) =>
    agent().then(
      (one) => one.carry(stream),
      () => stream.destroy(),
    )
  await listenAt(join(dirname(path), bulkSocket), (stream) => void carry(stream))
  await listenAt(path, (stream) => void serveConnection(stream, agent()))
  // Work in flight is left as after kill -9: the next start undoes it.
  exitWhenStopped(() => agent())
  await agent().catch((error: Error) => process.stderr.write(`error: ${error.message}\n`))
  notifyReady()
}

/** Ends this process when a service manager or a terminal asks for it. */
export function exitWhenStopped(agent: () => Promise<HostAgent>): void {
  const stop = () => void checkpoint(agent()).finally(() => process.exit(0))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
}

/** Before a clean exit; a slow disk or start is not waited for, and the next start does the rest. */
export async function checkpoint(agent: Promise<HostAgent>): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, CHECKPOINT_TIMEOUT_MS).unref())
  await Promise.race([agent.then((one) => one.checkpoint()), late]).catch(() => {})
}

/** Starts the agent once; a failed start is retried for the next caller. */
function once(start: () => Promise<HostAgent>): () => Promise<HostAgent> {
  let starting: Promise<HostAgent> | undefined
  return () => {
    if (!starting) {
      starting = start()
      starting.catch(() => {
        starting = undefined
      })
    }
    return starting
  }
}

/** Prints why the agent cannot run at all. */
export function sayWhy(error: unknown): void {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
