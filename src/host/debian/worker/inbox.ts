import type { Readable } from 'node:stream'
import { FrameReader } from '../../agent/protocol/frames.ts'

/** A side that sends more messages than are read violates the protocol. */
const MAX_UNREAD_MESSAGES = 8

export interface InboxOptions<Message> {
  /** Handles messages that must not wait in the queue; returns whether it did. */
  readonly heard?: (message: Message) => boolean
  /** Whether it needs no frames larger than a hello. */
  readonly isSmall?: boolean
}

/** A bounded queue of the other side's messages: one that breaks the protocol ends the stream. */
export class Inbox<Message> {
  readonly #stream: Readable
  readonly #waiting: Message[] = []
  #desired: ((message: Message | undefined) => void) | undefined
  #over = false

  constructor(stream: Readable, { heard = () => false, isSmall = false }: InboxOptions<Message> = {}) {
    this.#stream = stream
    const reader = new FrameReader()
    if (!isSmall) reader.trust()
    stream.on('data', (chunk: Buffer) => {
      try {
        for (const frame of reader.read(chunk)) {
          if (this.#over) return
          if (!heard(frame as Message)) this.#put(frame as Message)
        }
      } catch {
        this.destroy()
      }
    })
    stream.on('error', () => this.destroy())
    stream.once('close', () => this.#end())
    stream.once('end', () => this.#end())
  }

  /** The next message; undefined once the other side is gone. */
  next(): Promise<Message | undefined> {
    const first = this.#waiting.shift()
    if (first !== undefined || this.#over) return Promise.resolve(first)
    return new Promise((resolve) => {
      this.#desired = resolve
    })
  }

  /** Reads nothing more. */
  destroy(): void {
    this.#stream.destroy()
    this.#end()
  }

  #put(message: Message): void {
    const request = this.#desired
    this.#desired = undefined
    if (request) request(message)
    else if (this.#waiting.push(message) > MAX_UNREAD_MESSAGES) this.destroy()
  }

  #end(): void {
    this.#over = true
    this.#desired?.(undefined)
    this.#desired = undefined
  }
}
