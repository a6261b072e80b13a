import { overloaded } from '../contract/problem.ts'

/** A semaphore with a bounded queue: throws 503 `overloaded` when it is full. */
export class Semaphore {
  readonly #permits: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(permits: number, maxWaiting: number) {
    this.#permits = permits
    this.#maxWaiting = maxWaiting
  }

  get waiting(): number {
    return this.#waiting.length
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#acquire()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  async #acquire(): Promise<void> {
    if (this.#running < this.#permits) return void this.#running++
    if (this.#waiting.length >= this.#maxWaiting) throw overloaded('The server is busy. Try again shortly.')
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
