import { stat } from 'node:fs/promises'
import { type Duplex, PassThrough } from 'node:stream'
import { encode } from '../../agent/protocol/frames.ts'
import { FileError, HostError } from '../../contract/error.ts'
import { inherited, refuseManualStart } from '../../driver/inherited-socket.ts'
import { asHostError } from '../../install/user-message.ts'
import { carryOut, type WorkerRequest } from './execute.ts'
import { Inbox } from './inbox.ts'
import type { Become, Failure, FromWorker, ToWorker } from './verbs.ts'

/** Bytes have a channel apart from messages. */
const bytesFd = 3

/** Serves the agent, with this process's privileges, until the agent is gone. */
export async function serveAgent(root = '/'): Promise<void> {
  const bytes = inherited(bytesFd)
  if (bytes === undefined) return refuseManualStart()
  process.umask(0o077)
  bytes.on('error', () => bytes.destroy())
  await startThreads()
  await serveAll(process.stdin, process.stdout, bytes, root, process.getuid!() === 0 ? become : undefined)
  process.exit(0)
}

/**
 * Builds one release with its owner's privileges, which it takes on itself: no other program of that owner can take
 * over its channels. If the agent is gone, the partial build is removed.
 */
export async function serveBuild(root = '/'): Promise<void> {
  process.umask(0o077)
  await startThreads()
  const none = new PassThrough()
  await serveAll(process.stdin, process.stdout, none, root, process.getuid!() === 0 ? become : undefined)
  process.exit(0)
}

/** The threads of libuv's pool, which it starts on first use: a tenant's slice may have no room for them. */
const POOL_THREADS = 4

async function startThreads(): Promise<void> {
  await Promise.all(Array.from({ length: POOL_THREADS }, () => stat('/')))
}

/** Drops privileges for good. */
function become({ uid }: Become): void {
  process.setgroups!([])
  process.setgid!(uid)
  process.setuid!(uid)
}

/** Exported for tests: the streams of an in-process worker. Drops privileges first if told to. */
export async function serveAll(
  requests: NodeJS.ReadableStream,
  answers: NodeJS.WritableStream,
  bytes: Duplex,
  root: string,
  giveUp?: (input: Become) => void,
): Promise<void> {
  let stop = new AbortController()
  const heard = (message: ToWorker): boolean => {
    if (message.type === 'cancel') stop.abort()
    if (message.type === 'beat') say({ type: 'beat', cpuMs: cpuMs() })
    return message.type === 'cancel' || message.type === 'beat'
  }
  requests.once('close', () => stop.abort())
  requests.once('end', () => stop.abort())
  const say = (message: FromWorker) => void answers.write(encode(message))
  const inbox = new Inbox<ToWorker>(requests as NodeJS.ReadStream, { heard })
  if (giveUp) {
    const first = await inbox.next()
    if (first?.type !== 'become') return
    giveUp(first)
  }
  for (let request = await inbox.next(); request; request = await inbox.next()) {
    if (request.type !== 'ask') continue
    stop = new AbortController()
    const doing = {
      ...request,
      root,
      bytes,
      say,
      next: () => inbox.next(),
      signal: stop.signal,
    } satisfies WorkerRequest
    say(await carryOut(doing).then((result) => ({ type: 'done', result }) as const, failureOf))
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function failureOf(error: unknown): Failure {
  const isKnown = error instanceof HostError || (error as NodeJS.ErrnoException).syscall !== undefined
  if (!isKnown) return { type: 'failed', message: (error as Error).message }
  const known = asHostError('stage', error)
  const { stage, message, code } = known
  const reason = known instanceof FileError && { fileError: known.detail }
  return { type: 'failed', stage, message, code, ...reason }
}
