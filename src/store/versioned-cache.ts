import type { Store } from './open.ts'

const MAX_ENTRIES = 10_000

/**
 * Caches results until the store changes, so that none is ever stale: `const find = versionedCache((store, key) =>
 * ...)`. Undefined results are not cached.
 */
export function versionedCache<T>(ask: (store: Store, key: string) => T | undefined) {
  const all = new WeakMap<Store, { version: number; answers: Map<string, T> }>()
  return (store: Store, key: string): T | undefined => {
    let cached = all.get(store)
    if (!cached || cached.version !== store.version || cached.answers.size >= MAX_ENTRIES) {
      cached = { version: store.version, answers: new Map() }
      all.set(store, cached)
    }
    let answer = cached.answers.get(key)
    if (answer !== undefined) return answer
    answer = ask(store, key)
    if (answer !== undefined) cached.answers.set(key, answer)
    return answer
  }
}
