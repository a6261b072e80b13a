import { setTimeout as pause } from 'node:timers/promises'

const workFor = 20
const restFor = 60

/** Leaves most of a disk's time to others: pauses after each short burst of work. */
export class Leisure {
  readonly #signal: AbortSignal | undefined
  #began = performance.now()

  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  async step(): Promise<void> {
    if (performance.now() - this.#began < workFor) return
    await pause(restFor, undefined, this.#signal ? { signal: this.#signal } : {})
    this.#began = performance.now()
  }
}
