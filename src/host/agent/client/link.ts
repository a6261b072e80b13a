import type { Duplex } from 'node:stream'
import type { HostOptions } from '../../client.ts'
import { readFrame } from '../protocol/first.ts'
import { encode, type Frame } from '../protocol/frames.ts'
import { readHello, tooFarApart } from '../protocol/hello.ts'
import type { Answer, CommandName, Hello, Inputs, Outcome, Progress } from '../protocol/messages.ts'
import { Wire } from '../protocol/wire.ts'
import { Heartbeat } from './heartbeat.ts'
import type { Channel } from './transport.ts'

/** The connection ended before an answer came. */
export class LinkLost extends Error {
  override readonly name = 'LinkLost'
}

interface Pending {
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
  readonly progress: HostOptions['progress']
}

/** An agent that lives stops a command within moments; one that hangs is ended, as it would be by any crash. */
const patience = 10_000

type After = (ms: number, act: () => void) => () => void

/** One connection to the agent: hellos, then commands, many at a time. */
export class Link {
  readonly #channel: Channel
  readonly #after: After
  readonly #wire: Wire
  readonly #hello: Hello
  readonly #pending = new Map<number, Pending>()
  readonly #heartbeat: Heartbeat
  #greeting: { resolve: (agent: Hello) => void; reject: (error: Error) => void } | undefined
  #next = 1
  #answersPings = false
  #over = false

  constructor(channel: Channel, hello: Hello, after: After) {
    this.#channel = channel
    this.#after = after
    this.#hello = hello
    this.#heartbeat = new Heartbeat({
      after,
      ping: () => this.#wire.send({ type: 'ping' }),
      dead: () => this.kill(),
    })
    this.#wire = new Wire(channel.stream, {
      heard: (frame) => this.#heard(frame),
      ended: (error) => void this.#ended(error),
    })
  }

  get over(): boolean {
    return this.#over
  }

  /** How many commands are under way. */
  get busy(): number {
    return this.#pending.size
  }

  /** Answers the agent's hello; throws a sentence when the two cannot talk. */
  introduce(): Promise<Hello> {
    return new Promise((resolve, reject) => {
      this.#greeting = { resolve, reject }
      this.#wire.send(this.#hello)
    })
  }

  ask<Name extends CommandName>(
    node: string,
    command: Name,
    input: Inputs[Name],
    { signal, progress }: HostOptions,
  ): Promise<Outcome<Name>> {
    const id = this.#next++
    let answered = (): void => {}
    const cancel = (): void => {
      this.#wire.send({ type: 'cancel', id })
      answered = this.#after(patience, () => this.kill())
    }
    return new Promise<Outcome>((resolve, reject) => {
      if (this.#over) return reject(new LinkLost('The connection to the host agent was closed.'))
      this.#wire.send({ type: 'command', id, node, command, input })
      this.#pending.set(id, { resolve, reject, progress })
      if (this.#answersPings) this.#heartbeat.start()
      signal?.addEventListener('abort', cancel)
    }).finally(() => {
      signal?.removeEventListener('abort', cancel)
      answered()
    }) as Promise<Outcome<Name>>
  }

  /** Opens a connection of its own for the bytes that a ticket stands for. */
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

  /** Lets the agent go; resolves when it has gone. */
  async close(): Promise<void> {
    this.#wire.end()
    await this.#channel.ended
  }

  /** The connection ends at once: a process that waits for a disk outlives its SIGKILL. */
  kill(): void {
    this.#channel.kill()
    this.#wire.fail(new Error('The host agent did not answer and was killed.'))
  }

  #heard(frame: Frame): void {
    if (this.#greeting) this.#greeted(frame)
    else if (frame['type'] === 'answer') this.#answered(frame as unknown as Answer)
    else if (frame['type'] === 'progress') this.#progressed(frame as unknown as Progress)
    else if (frame['type'] === 'pong') this.#heartbeat.heard()
  }

  #greeted(frame: Frame): void {
    if (frame['type'] === 'refused') throw new Error(String(frame['reason']))
    const agent = readHello(frame)
    const fault = tooFarApart(this.#hello, agent)
    if (fault) throw new Error(fault)
    this.#wire.trust()
    this.#answersPings = agent.capabilities.includes('ping')
    this.#greeting?.resolve(agent)
    this.#greeting = undefined
  }

  #answered({ type: _, id, ...outcome }: Answer): void {
    this.#pending.get(id)?.resolve(outcome)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#heartbeat.stop()
  }

  #progressed({ id, line, done }: Progress): void {
    this.#pending.get(id)?.progress?.(line, done)
  }

  async #ended(error: NodeJS.ErrnoException | undefined): Promise<void> {
    this.#over = true
    this.#heartbeat.stop()
    // What the system says of a connection that broke tells less than how the other end went.
    const reason = error && !error.syscall ? error.message : await this.#channel.ended
    this.#greeting?.reject(new Error(reason))
    for (const { reject } of this.#pending.values()) reject(new LinkLost(reason))
    this.#pending.clear()
  }
}
