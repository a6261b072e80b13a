import type { Change } from './backend.ts'
import type { Inverse } from './inverse.ts'

export const MAX_CHANGES_PER_HOUR = 50
const HOUR_MS = 3_600_000
/** Changes whose inverses are remembered. */
const MAX_REMEMBERED = 200

/** The changes that a process or a grant made. */
export class ChangeLog {
  readonly #now: () => number
  #times: number[] = []
  readonly #inverses = new Map<string, { readonly change: Change; readonly inverse: Inverse }>()

  constructor(now: () => number) {
    this.#now = now
  }

  get lastUsedAt(): number {
    return this.#times.at(-1) ?? 0
  }

  /** Counts a change; returns false if the hour's changes are used up. */
  count(): boolean {
    const since = this.#now() - HOUR_MS
    this.#times = this.#times.filter((at) => at > since)
    if (this.#times.length >= MAX_CHANGES_PER_HOUR) return false
    this.#times.push(this.#now())
    return true
  }

  remember(change: Change, inverse: Inverse): void {
    if (this.#inverses.size >= MAX_REMEMBERED) this.#inverses.delete(this.#inverses.keys().next().value!)
    this.#inverses.set(change.id, { change, inverse })
  }

  inverseOf(id: string): { readonly change: Change; readonly inverse: Inverse } | undefined {
    return this.#inverses.get(id)
  }
}
