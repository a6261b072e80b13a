import type { Duplex } from 'node:stream'
import type { HostOptions } from '../../contract/client.ts'
import { readFrame } from '../protocol/first.ts'
import { encode, type Frame, MAX_HELLO_BYTES } from '../protocol/frames.ts'
import { isLeadership, readHello, tooFarApart } from '../protocol/hello.ts'
import type { Answer, CommandName, CommandOutcome, Hello, Leadership, Progress } from '../protocol/messages.ts'
import { type FrameSize, Wire } from '../protocol/wire.ts'
import { Heartbeat } from './heartbeat.ts'
import { Pace } from './pace.ts'
import type { Channel } from './transport.ts'

/** The connection ended before an answer came. */
export class LinkLost extends Error {
  override readonly name = 'LinkLost'
}

/** Checks what an untrusted agent sends. Throwing ends the connection. */
export interface Guard {
  /** Returns what of it may be used. */
  answered(request: PendingCommand, outcome: CommandOutcome): CommandOutcome
  /** Given how many progress lines a command has had; returns whether to pass this one on. */
  progressed(request: PendingCommand, frame: Progress, count: number): boolean
  /** The largest answer that a command may have. */
  maxAnswerBytes(request: PendingCommand): number
  /** A frame larger than a hello that does not answer a pending command, or is larger than its answer may be. */
  oversized(request?: PendingCommand): void
  /** A frame that answers no request, or of an unknown type. */
  stray(frame: Frame): void
  /** Counts a frame; returns whether to read on before the next beat. */
  received(size: FrameSize): boolean
}

export interface PendingCommand {
  readonly command: CommandName
  readonly input: unknown
}

/** The host obeys another server, which took over from this one. */
export class Outranked extends Error {
  override readonly name = 'Outranked'
  readonly leadership: Leadership

  constructor(reason: string, leadership: Leadership) {
    super(reason)
    this.leadership = leadership
  }
}

interface Pending {
  readonly request: PendingCommand | undefined
  readonly resolve: (outcome: CommandOutcome) => void
  readonly reject: (error: Error) => void
  readonly progress: HostOptions['progress']
  /** Progress lines so far. */
  lines: number
}

/** A live agent stops a command within moments; a hung one is killed, as if it had crashed. */
const HELLO_TIMEOUT_MS = 10_000

/** How agents write answers: the type and the id come first. */
const answerHead = /^\{"type":"answer","id":(\d{1,16}),/

type After = (ms: number, act: () => void) => () => void

/** One connection to the agent: hellos, then many concurrent commands. */
export class Link {
  readonly #channel: Channel
  readonly #after: After
  readonly #wire: Wire
  readonly #hello: Hello
  readonly #guard: Guard | undefined
  readonly #pending = new Map<number, Pending>()
  readonly #heartbeat: Heartbeat
  #greeting: { resolve: (agent: Hello) => void; reject: (error: Error) => void } | undefined
  #next = 1
  #answersPings = false
  #over = false

  constructor(channel: Channel, hello: Hello, after: After, guard?: Guard) {
    this.#channel = channel
    this.#guard = guard
    this.#after = after
    this.#hello = hello
    this.#heartbeat = new Heartbeat({
      after,
      ping: () => this.#wire.send({ type: 'ping' }),
      dead: () => this.kill(),
    })
    this.#wire = new Wire(channel.stream, {
      heard: (frame, size) => this.#heard(frame, size),
      ended: (error) => void this.#ended(error),
      ...(guard && { isLarge: (head: string, length: number) => this.#isAwaited(guard, head, length) }),
    })
  }

  get over(): boolean {
    return this.#over
  }

  /** Paces a stream's bytes so that commands get their turn. */
  pace(): Pace {
    return new Pace(this.#channel.isShared === true)
  }

  /** The number of commands in flight. */
  get busy(): number {
    return this.#pending.size
  }

  /** Returns the agent's hello; throws a message if the two are incompatible. */
  introduce(): Promise<Hello> {
    return new Promise((resolve, reject) => {
      this.#greeting = { resolve, reject }
      this.#wire.send(this.#hello)
    })
  }

  ask(node: string, command: CommandName, input: unknown, { signal, progress }: HostOptions): Promise<CommandOutcome> {
    const id = this.#next++
    let answered = (): void => {}
    const cancel = (): void => {
      this.#wire.send({ type: 'cancel', id })
      answered = this.#after(HELLO_TIMEOUT_MS, () => this.kill())
    }
    return new Promise<CommandOutcome>((resolve, reject) => {
      if (this.#over) return reject(new LinkLost('The connection to the host agent was closed.'))
      this.#wire.send({ type: 'command', id, node, command, input })
      this.#pending.set(id, { resolve, reject, progress, request: this.#guard && { command, input }, lines: 0 })
      if (this.#answersPings) this.#heartbeat.start()
      signal?.addEventListener('abort', cancel)
    }).finally(() => {
      signal?.removeEventListener('abort', cancel)
      answered()
    })
  }

  /** Opens a separate connection for the bytes of a ticket. */
  async bulk(ticket: string): Promise<Duplex> {
    const stream = await this.#channel.bulk()
    stream.on('error', () => stream.destroy())
    try {
      stream.write(encode({ ...this.#hello, ticket }))
      const answer = await readFrame(stream)
      if (answer['type'] !== 'hello') throw new LinkLost(String(answer['reason']))
      return stream
    } catch (error) {
      stream.destroy()
      throw error
    }
  }

  /** Closes the link; resolves when the agent has gone. */
  async close(): Promise<void> {
    this.#wire.end()
    await this.#channel.ended
  }

  /** Ends the connection at once: a process that waits for a disk outlives its SIGKILL. */
  kill(): void {
    this.#channel.kill()
    this.#wire.fail(new Error('The host agent did not answer and was killed.'))
  }

  /** Whether a frame's first bytes announce the answer to a pending command, of a length that it may have. */
  #isAwaited(guard: Guard, head: string, length: number): boolean {
    const id = answerHead.exec(head)?.[1]
    return this.#fits(guard, id === undefined ? undefined : Number(id), length)
  }

  #fits(guard: Guard, id: number | undefined, length: number): boolean {
    const request = id === undefined ? undefined : this.#pending.get(id)?.request
    const fits = request !== undefined && length <= guard.maxAnswerBytes(request)
    if (!fits) guard.oversized(request)
    return fits
  }

  #heard(frame: Frame, size: FrameSize): void {
    if (this.#guard) this.#count(this.#guard, frame, size)
    this.#take(frame)
  }

  /** A large frame may begin like an answer, and be something else. */
  #count(guard: Guard, { type, id }: Frame, size: FrameSize): void {
    const { length } = size
    if (length > MAX_HELLO_BYTES) this.#fits(guard, type === 'answer' ? (id as number) : undefined, length)
    if (!guard.received(size)) this.#channel.stream.pause()
  }

  #take(frame: Frame): void {
    if (this.#greeting) this.#greeted(frame)
    else if (frame['type'] === 'answer') this.#answered(frame as unknown as Answer)
    else if (frame['type'] === 'progress') this.#progressed(frame as unknown as Progress)
    else if (frame['type'] !== 'pong' || !this.#heartbeat.heard()) this.#guard?.stray(frame)
  }

  #greeted(frame: Frame): void {
    if (frame['type'] === 'refused') throw refusalOf(frame)
    const agent = readHello(frame)
    const error = tooFarApart(this.#hello, agent)
    if (error) throw new Error(error)
    this.#wire.trust()
    this.#answersPings = agent.capabilities.includes('ping')
    this.#greeting?.resolve(agent)
    this.#greeting = undefined
  }

  #answered(answer: Answer): void {
    const { type: _, id, ...outcome } = answer
    const pending = this.#pending.get(id)
    const checked = pending?.request ? this.#guard?.answered(pending.request, outcome) : undefined
    if (!pending?.request) this.#guard?.stray(answer as unknown as Frame)
    pending?.resolve(checked ?? outcome)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#heartbeat.stop()
  }

  #progressed(frame: Progress): void {
    const pending = this.#pending.get(frame.id)
    if (!pending) return this.#guard?.stray(frame as unknown as Frame)
    if (pending.request && !this.#guard?.progressed(pending.request, frame, ++pending.lines)) return
    pending.progress?.(frame.line, frame.done)
  }

  async #ended(error: NodeJS.ErrnoException | undefined): Promise<void> {
    this.#over = true
    this.#heartbeat.stop()
    // A system error says less about a broken connection than how the other end exited.
    const reason = error && !error.syscall ? error.message : await this.#channel.ended
    this.#greeting?.reject(error instanceof Outranked ? error : new Error(reason))
    for (const { reject } of this.#pending.values()) reject(new LinkLost(reason))
    this.#pending.clear()
  }
}

function refusalOf({ reason, leadership }: Frame): Error {
  return isLeadership(leadership) ? new Outranked(String(reason), leadership) : new Error(String(reason))
}
