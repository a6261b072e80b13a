import { overloaded } from '../contract/problem.ts'

/** Lets so many pieces of work run at a time, and so many wait. 503 `overloaded` beyond. */
export class Turns {
  readonly #atATime: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atATime: number, mostWaiting: number) {
    this.#atATime = atATime
    this.#mostWaiting = mostWaiting
  }

  get waiting(): number {
    return this.#waiting.length
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#turn()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < this.#atATime) return void this.#running++
    if (this.#waiting.length >= this.#mostWaiting) throw overloaded('The server is busy. Try again shortly.')
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
