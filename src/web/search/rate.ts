const perSecond = 10
const mostSessions = 10_000

/** Counts each session's searches in the current second. */
export class Searches {
  #second = 0
  #taken = new Map<string, number>()

  /** Whether the session may search again. */
  take(session: string, now: number): boolean {
    const second = Math.floor(now / 1000)
    if (second !== this.#second || this.#taken.size >= mostSessions) this.#taken = new Map()
    this.#second = second
    const taken = (this.#taken.get(session) ?? 0) + 1
    this.#taken.set(session, taken)
    return taken <= perSecond
  }
}
