import { minute } from '../../../shared/time.ts'

/** Lines. */
const MAX_PER_MINUTE = 60

interface Log {
  warn(fields: object, message: string): void
}

/** Logs connections that are refused: anyone can open them, so the lines of a minute are limited, and the rest counted. */
export class RefusalLog {
  readonly #log: Log
  readonly #now: () => number
  #until = 0
  #count = 0

  constructor(log: Log, now: () => number) {
    this.#log = log
    this.#now = now
  }

  add(refusal: { readonly address: string | undefined; readonly reason: string }): void {
    if (this.#now() >= this.#until) this.#begin()
    if (++this.#count <= MAX_PER_MINUTE) this.#log.warn(refusal, 'a node was refused')
  }

  #begin(): void {
    const unlogged = this.#count - MAX_PER_MINUTE
    if (unlogged > 0) this.#log.warn({ count: unlogged }, 'more nodes were refused')
    this.#until = this.#now() + minute
    this.#count = 0
  }
}
