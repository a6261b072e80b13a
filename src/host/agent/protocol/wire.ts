import type { Duplex } from 'node:stream'
import { encode, type Frame, FrameReader } from './frames.ts'

export type FrameSize = Pick<FrameReader, 'length' | 'values'>

export interface Listener {
  /** Whether a frame larger than a hello is expected, by its first bytes and its length; without this, each is. */
  isLarge?(head: string, length: number): boolean
  heard(frame: Frame, size: FrameSize): void
  /** Called once, when nothing more can be sent or received. */
  ended(error: Error | undefined): void
}

/** Frames over a stream. A peer that violates the protocol, or a listener that throws, ends it. */
export class Wire {
  readonly #stream: Duplex
  readonly #reader: FrameReader
  #error: Error | undefined

  constructor(stream: Duplex, listener: Listener) {
    this.#stream = stream
    this.#reader = new FrameReader(listener.isLarge && ((head, length) => listener.isLarge!(head, length)))
    stream.on('data', (chunk: Buffer) => this.#read(chunk, listener))
    stream.on('error', (error) => {
      this.#error ??= error
    })
    stream.once('end', () => stream.destroy())
    stream.once('close', () => listener.ended(this.#error))
  }

  send(frame: object): void {
    if (this.#stream.writable) this.#stream.write(encode(frame))
  }

  /** The peer has introduced itself. */
  trust(): void {
    this.#reader.trust()
  }

  /** Flushes what is queued, then ends. */
  end(): void {
    this.#stream.end()
  }

  /** Stops sending and receiving at once. */
  fail(reason: Error): void {
    this.#stream.destroy(reason)
  }

  #read(chunk: Buffer, listener: Listener): void {
    try {
      for (const frame of this.#reader.read(chunk)) {
        if (this.#stream.destroyed) return
        listener.heard(frame, this.#reader)
      }
    } catch (error) {
      this.#stream.destroy(error as Error)
    }
  }
}
