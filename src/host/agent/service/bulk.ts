import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Sink, Source } from '../../contract/driver.ts'
import { FileError } from '../../contract/error.ts'
import { readFrame } from '../protocol/first.ts'
import { encode } from '../protocol/frames.ts'
import type { Hello } from '../protocol/messages.ts'

/** How long a ticket is valid, and how long received bytes wait for their commit. */
const TICKET_TIMEOUT_MS = 60_000

interface WaitingTransfer {
  readonly serve: (stream: Duplex) => Promise<void>
  readonly giveUp: () => Promise<void>
}

/** An upload to the host: its bytes are counted once all have arrived. */
interface Sending {
  readonly sink: Sink
  received: Promise<number> | undefined
}

/** Bytes on connections of their own, each opened by a single-use ticket. */
export class Bulk {
  readonly #waiting = new Map<string, WaitingTransfer>()
  readonly #sending = new Map<string, Sending>()
  readonly #timers = new Map<string, NodeJS.Timeout>()

  fromHost<Answer extends { readonly length: number }>(source: Source<Answer>): Answer & { readonly ticket: string } {
    const ticket = this.#offer({
      serve: (stream) => pipeline(source.stream(), stream),
      giveUp: () => source.close(),
    })
    return { ...source.answer, ticket }
  }

  toHost(sink: Sink): object {
    const sending: Sending = { sink, received: undefined }
    const ticket = this.#offer({
      serve: async (stream) => {
        sending.received = sink.receive(stream)
        await sending.received.catch(() => {})
        this.#expire(ticket, () => this.discard(ticket))
      },
      giveUp: () => this.discard(ticket),
    })
    this.#sending.set(ticket, sending)
    return { ticket }
  }

  /** Puts sent bytes to use; all of them must have arrived. */
  async commit(ticket: string, bytes: number): Promise<object> {
    const { sink, received } = this.#taken(ticket)
    const size = await (received ?? Promise.resolve(0)).catch(async (error: unknown) => {
      await sink.discard()
      throw error
    })
    if (size === bytes) return sink.commit()
    await sink.discard()
    throw new FileError('incomplete', 'Not all bytes have reached the host: send them again.')
  }

  async discard(ticket: string): Promise<void> {
    const sending = this.#sending.get(ticket)
    this.#forget(ticket)
    await sending?.received?.catch(() => {})
    await sending?.sink.discard()
  }

  /** Serves one connection: its hello carries a ticket. */
  async serve(stream: Duplex, hello: Hello): Promise<void> {
    stream.on('error', () => stream.destroy())
    try {
      const { type, ticket } = await readFrame(stream)
      const waiting = type === 'hello' ? this.#waiting.get(String(ticket)) : undefined
      if (!waiting) return void stream.end(encode({ type: 'refused', reason: 'The ticket is not valid any more.' }))
      this.#waiting.delete(String(ticket))
      clearTimeout(this.#timers.get(String(ticket)))
      stream.write(encode(hello))
      await waiting.serve(stream)
      stream.destroy()
    } catch {
      stream.destroy()
    }
  }

  #offer(waiting: WaitingTransfer): string {
    const ticket = randomBytes(16).toString('hex')
    this.#waiting.set(ticket, waiting)
    this.#expire(ticket, waiting.giveUp)
    return ticket
  }

  #expire(ticket: string, act: () => Promise<void>): void {
    const late = (): void => {
      this.#waiting.delete(ticket)
      void act().catch(() => {})
    }
    this.#timers.set(ticket, setTimeout(late, TICKET_TIMEOUT_MS).unref())
  }

  #taken(ticket: string): Sending {
    const sending = this.#sending.get(ticket)
    if (!sending) throw new FileError('incomplete', 'The host no longer has what was sent: send it again.')
    this.#forget(ticket)
    return sending
  }

  #forget(ticket: string): void {
    clearTimeout(this.#timers.get(ticket))
    this.#timers.delete(ticket)
    this.#waiting.delete(ticket)
    this.#sending.delete(ticket)
  }
}
