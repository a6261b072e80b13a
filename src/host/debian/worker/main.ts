import { type Duplex, PassThrough } from 'node:stream'
import { encode } from '../../agent/protocol/frames.ts'
import { inherited, refuseByHand } from '../../by-parent.ts'
import { FileFault, HostError } from '../../error.ts'
import { asHostError } from '../../install/user-message.ts'
import { type Asked, carryOut } from './carry-out.ts'
import { Inbox } from './inbox.ts'
import type { Become, Failure, FromWorker, ToWorker } from './verbs.ts'

/** Bytes have a channel apart from messages. */
const bytesFd = 3

/** Serves the agent, with this process's privileges, until the agent is gone. */
export async function serveAgent(root = '/'): Promise<void> {
  const bytes = inherited(bytesFd)
  if (bytes === undefined) return refuseByHand()
  process.umask(0o077)
  bytes.on('error', () => bytes.destroy())
  await serveAll(process.stdin, process.stdout, bytes, root, process.getuid!() === 0 ? become : undefined)
  process.exit(0)
}

/** Builds one release, with this process's privileges; if the agent is gone, the partial build is removed. */
export async function serveBuild(root = '/'): Promise<void> {
  process.umask(0o077)
  const none = new PassThrough()
  await serveAll(process.stdin, process.stdout, none, root)
  process.exit(0)
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
  giveUp?: (told: Become) => void,
): Promise<void> {
  let stop = new AbortController()
  const cancelled = (message: ToWorker): boolean => {
    if (message.type === 'cancel') stop.abort()
    return message.type === 'cancel'
  }
  requests.once('close', () => stop.abort())
  requests.once('end', () => stop.abort())
  const inbox = new Inbox<ToWorker>(requests as NodeJS.ReadStream, cancelled)
  const say = (message: FromWorker) => void answers.write(encode(message))
  if (giveUp) {
    const first = await inbox.next()
    if (first?.type !== 'become') return
    giveUp(first)
  }
  for (let asked = await inbox.next(); asked; asked = await inbox.next()) {
    if (asked.type !== 'ask') continue
    stop = new AbortController()
    const doing = { ...asked, root, bytes, say, next: () => inbox.next(), signal: stop.signal } satisfies Asked
    say(await carryOut(doing).then((result) => ({ type: 'done', result }) as const, failureOf))
  }
}

function failureOf(error: unknown): Failure {
  const isKnown = error instanceof HostError || (error as NodeJS.ErrnoException).syscall !== undefined
  if (!isKnown) return { type: 'failed', message: (error as Error).message }
  const known = asHostError('stage', error)
  const { stage, message, code } = known
  const fault = known instanceof FileFault && { fault: known.told }
  return { type: 'failed', stage, message, code, ...fault }
}
