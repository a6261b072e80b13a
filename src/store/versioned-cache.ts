import type { Store } from './open.ts'

const most = 10_000

/**
 * Caches results until the store changes, so that none is ever stale: `const find = versionedCache((store, key) =>
 * ...)`. Undefined results are not cached.
 */
export function versionedCache<T>(ask: (store: Store, key: string) => T | undefined) {
  const all = new WeakMap<Store, { version: number; answers: Map<string, T> }>()
  return (store: Store, key: string): T | undefined => {
    let kept = all.get(store)
    if (!kept || kept.version !== store.version || kept.answers.size >= most) {
      kept = { version: store.version, answers: new Map() }
      all.set(store, kept)
    }
    let answer = kept.answers.get(key)
    if (answer !== undefined) return answer
    answer = ask(store, key)
    if (answer !== undefined) kept.answers.set(key, answer)
    return answer
  }
}
