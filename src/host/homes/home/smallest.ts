type Compare = (one: string, other: string) => number

export const byBytes: Compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0)

/** The smallest so many of all names offered; sorts whenever it has twice as many. */
export class Smallest {
  readonly #count: number
  readonly #compare: Compare
  #names: string[] = []
  #bound: string | undefined

  constructor(count: number, compare = byBytes) {
    this.#count = count
    this.#compare = compare
  }

  offer(name: string): void {
    if (this.#bound !== undefined && this.#compare(name, this.#bound) >= 0) return
    this.#names.push(name)
    if (this.#names.length >= 2 * this.#count) this.sorted()
  }

  sorted(): string[] {
    this.#names = this.#names.sort(this.#compare).slice(0, this.#count)
    if (this.#names.length === this.#count) this.#bound = this.#names.at(-1)
    return this.#names
  }
}
