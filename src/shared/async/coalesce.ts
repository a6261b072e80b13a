/** Work that runs once at a time; callers that arrive during a run share the next one. */
export class Coalesced {
  readonly #work: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  run(): Promise<void> {
    if (!this.#running) return this.#start()
    this.#next ??= this.#after(this.#running)
    return this.#next
  }

  async #after(running: Promise<void>): Promise<void> {
    await running.catch(() => {})
    this.#next = undefined
    return this.#start()
  }

  #start(): Promise<void> {
    const run = this.#work().finally(() => {
      if (this.#running === run) this.#running = undefined
    })
    this.#running = run
    return run
  }
}
