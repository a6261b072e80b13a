/** Runs work by key, once at a time; whoever comes meanwhile shares the next run, which sees what came before it. */
export class Coalesced {
  readonly #running = new Map<string, Promise<void>>()
  readonly #next = new Map<string, Promise<void>>()

  run(key: string, work: () => Promise<void>): Promise<void> {
    const running = this.#running.get(key)
    if (!running) return this.#start(key, work)
    const next = this.#next.get(key) ?? this.#after(running, key, work)
    this.#next.set(key, next)
    return next
  }

  async #after(running: Promise<void>, key: string, work: () => Promise<void>): Promise<void> {
    await running.catch(() => {})
    this.#next.delete(key)
    return this.#start(key, work)
  }

  #start(key: string, work: () => Promise<void>): Promise<void> {
    const run = work().finally(() => {
      if (this.#running.get(key) === run) this.#running.delete(key)
    })
    this.#running.set(key, run)
    return run
  }
}
