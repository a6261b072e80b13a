import type { Readable } from 'node:stream'
import { FrameReader } from '../../agent/protocol/frames.ts'

/** A queue of the other side's messages. */
export class Inbox<Message> {
  readonly #waiting: Message[] = []
  #wanted: ((message: Message | undefined) => void) | undefined
  #over = false

  /** `heard` handles messages that must not wait in the queue; it returns whether it did. */
  constructor(stream: Readable, heard: (message: Message) => boolean = () => false) {
    const reader = new FrameReader()
    reader.trust()
    stream.on('data', (chunk: Buffer) => {
      try {
        for (const frame of reader.read(chunk)) if (!heard(frame as Message)) this.#put(frame as Message)
      } catch {
        stream.destroy()
      }
    })
    stream.on('error', () => stream.destroy())
    stream.once('close', () => this.#end())
    stream.once('end', () => this.#end())
  }

  /** The next message; undefined once the other side is gone. */
  next(): Promise<Message | undefined> {
    const first = this.#waiting.shift()
    if (first !== undefined || this.#over) return Promise.resolve(first)
    return new Promise((resolve) => {
      this.#wanted = resolve
    })
  }

  #put(message: Message): void {
    const wanted = this.#wanted
    this.#wanted = undefined
    if (wanted) wanted(message)
    else this.#waiting.push(message)
  }

  #end(): void {
    this.#over = true
    this.#wanted?.(undefined)
    this.#wanted = undefined
  }
}
