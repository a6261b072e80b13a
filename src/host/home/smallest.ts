type Compare = (one: string, other: string) => number

export const byBytes: Compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0)

/** The smallest so many of all names offered; sorts whenever it has twice as many. */
export class Smallest {
  readonly #most: number
  readonly #compare: Compare
  #kept: string[] = []
  #bound: string | undefined

  constructor(most: number, compare = byBytes) {
    this.#most = most
    this.#compare = compare
  }

  offer(name: string): void {
    if (this.#bound !== undefined && this.#compare(name, this.#bound) >= 0) return
    this.#kept.push(name)
    if (this.#kept.length >= 2 * this.#most) this.sorted()
  }

  sorted(): string[] {
    this.#kept = this.#kept.sort(this.#compare).slice(0, this.#most)
    if (this.#kept.length === this.#most) this.#bound = this.#kept.at(-1)
    return this.#kept
  }
}
