import type { Duplex } from 'node:stream'
import { leaving } from '../../contract/driver.ts'
import { type Frame, ProtocolError } from '../protocol/frames.ts'
import { readHello, tooFarApart } from '../protocol/hello.ts'
import type { Leadership, ToPanel } from '../protocol/messages.ts'
import { Wire } from '../protocol/wire.ts'
import type { HostAgent } from './agent.ts'

/** More than a panel ever has in flight. */
const maxConcurrent = 1000

/** Messages that only a node's agent receives. */
export interface Besides {
  /** The panel and the agent have greeted each other. */
  readonly greeted: () => void
  readonly heard: (frame: Frame) => void
}

/** Serves one panel over a stream; resolves when the connection has ended and its commands have stopped. */
export async function serveConnection(stream: Duplex, starting: Promise<HostAgent>, besides?: Besides): Promise<void> {
  await new Promise<void>((resolve) => new Session(stream, starting, resolve, besides))
}

class Session {
  readonly #wire: Wire
  readonly #starting: Promise<HostAgent>
  readonly #doing = new Map<unknown, AbortController>()
  readonly #left: () => void
  readonly #besides: Besides | undefined
  #agent: HostAgent | undefined

  constructor(stream: Duplex, starting: Promise<HostAgent>, left: () => void, besides: Besides | undefined) {
    this.#starting = starting
    this.#left = left
    this.#besides = besides
    this.#wire = new Wire(stream, { heard: (frame) => this.#heard(frame), ended: () => this.#ended() })
  }

  #say(frame: ToPanel): void {
    this.#wire.send(frame)
  }

  #heard(frame: Frame): void {
    if (frame['type'] === 'hello') void this.#greet(frame)
    else if (!this.#agent) throw new ProtocolError('The first frame is not a hello.')
    else if (frame['type'] === 'command') void this.#execute(this.#agent, frame)
    else if (frame['type'] === 'cancel') this.#doing.get(frame['id'])?.abort()
    else if (frame['type'] === 'ping') this.#say({ type: 'pong' })
    else this.#besides?.heard(frame)
  }

  async #greet(frame: Frame): Promise<void> {
    try {
      const panel = readHello(frame)
      const agent = await this.#starting
      const error = tooFarApart(panel, agent.hello)
      if (error) throw new Error(error)
      const later = agent.outranking(panel)
      if (later) return this.#refuseLeader(later)
      this.#agent = agent
      this.#wire.trust()
      this.#say(agent.hello)
      this.#besides?.greeted()
    } catch (error) {
      this.#say({ type: 'refused', reason: (error as Error).message })
      this.#wire.end()
    }
  }

  #refuseLeader(leadership: Leadership): void {
    this.#say({
      type: 'refused',
      reason: 'This host obeys another server, which took over from this one.',
      leadership,
    })
    this.#wire.end()
  }

  async #execute(agent: HostAgent, frame: Frame): Promise<void> {
    const id = frame['id'] as number
    if (this.#doing.has(id) || this.#doing.size === maxConcurrent) return this.#refuse(id)
    const abort = new AbortController()
    this.#doing.set(id, abort)
    const progress = (line: string, done: number) => this.#say({ type: 'progress', id, line, done })
    const outcome = await agent.execute(frame, { signal: abort.signal, progress })
    this.#doing.delete(id)
    this.#say({ type: 'answer', id, ...outcome })
  }

  #refuse(id: number): void {
    const message = 'The host agent has too many requests in progress.'
    this.#say({ type: 'answer', id, status: 'failed', stage: 'stage', message })
  }

  #ended(): void {
    for (const abort of this.#doing.values()) abort.abort(leaving)
    this.#left()
  }
}
