/** Serializes work with the same key; other work runs concurrently. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Goes ahead of earlier work that has not ended once `overtake` resolves. */
  async run<T>(key: string, work: () => Promise<T>, overtake?: Promise<void>): Promise<T> {
    const last = this.#last.get(key) ?? Promise.resolve()
    const turn = (overtake ? Promise.race([last, overtake]) : last).then(work, work)
    this.#last.set(key, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key)
    }
  }
}
