/** Whose share an entry counts towards: an account's or reseller's, and within it that of one caller. */
export interface Holder {
  readonly owner: string
  readonly member: string
}

/** What a process uses by itself has one holder. */
const onlyHolder: Holder = { owner: '', member: '' }

/**
 * A map with a limit. Where it is full, a new entry replaces the oldest of the member with the most entries, of the owner
 * with the most: no caller can remove the entries of owners who have fewer.
 */
export class FairMap<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly holder: Holder }>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: string, value: V, holder = onlyHolder): void {
    if (!this.#entries.has(key) && this.#entries.size >= this.#max) this.#evict()
    this.#entries.set(key, { value, holder })
  }

  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  deleteWhere(isUnused: (value: V) => boolean): void {
    for (const [key, { value }] of this.#entries) if (isUnused(value)) this.#entries.delete(key)
  }

  *values(): Generator<V> {
    for (const { value } of this.#entries.values()) yield value
  }

  #evict(): void {
    const entries = [...this.#entries].map(([key, { holder }]) => ({ key, ...holder }))
    const ofOwner = biggestGroup(entries, ({ owner }) => owner)
    this.#entries.delete(biggestGroup(ofOwner, ({ member }) => member)[0]!.key)
  }
}

function biggestGroup<T>(items: readonly T[], groupOf: (item: T) => string): T[] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(groupOf(item))
    if (group) group.push(item)
    else groups.set(groupOf(item), [item])
  }
  return [...groups.values()].reduce((biggest, group) => (group.length > biggest.length ? group : biggest))
}
