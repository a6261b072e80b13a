import { hour, minute } from '../../../shared/time.ts'

const FIRST_BAR_MS = 5_000
const MAX_BAR_MS = 5 * minute
/** After this long without another break, a node starts again with the shortest wait. */
const FORGET_MS = hour

interface Bar {
  readonly ms: number
  readonly until: number
}

/** How long nodes that broke the protocol's rules stay out: each time twice as long, since reading what they send costs. */
export class Barred {
  readonly #now: () => number
  readonly #bars = new Map<string, Bar>()

  constructor(now: () => number) {
    this.#now = now
  }

  add(node: string): void {
    const last = this.#bars.get(node)
    const isRepeated = last !== undefined && this.#now() < last.until + FORGET_MS
    const ms = isRepeated ? Math.min(last.ms * 2, MAX_BAR_MS) : FIRST_BAR_MS
    this.#bars.set(node, { ms, until: this.#now() + ms })
  }

  remove(node: string): void {
    this.#bars.delete(node)
  }

  /** A sentence for a node that is still barred. */
  why({ id, name }: { readonly id: string; readonly name: string }): string | undefined {
    const bar = this.#bars.get(id)
    if (!bar || this.#now() >= bar.until) return undefined
    return `Node ${name} broke the protocol's rules and may connect again ${bar.ms / 1000} seconds after that.`
  }
}
