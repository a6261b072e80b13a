import type { Db } from './open.ts'

/**
 * Statements prepared once for each store: `const queries = prepared((db) => ({ ... }))`, then `queries(db).byId`.
 * On hot paths, with the bare connection: `prepared((sqlite: Database) => ({ ... }))`.
 *
 * Write `LIMIT @limit + 0`: SQLite plans with the value of a bare parameter there, and so re-prepares the statement
 * each time it is used. It does the same with a parameter that a partial index's condition mentions: write the value
 * itself, `sql`${certificates.used} = 1``, not `eq`.
 */
export function prepared<T, S extends object = Db>(build: (store: S) => T): (store: S) => T {
  const built = new WeakMap<S, T>()
  return (store) => {
    let statements = built.get(store)
    if (!statements) {
      statements = build(store)
      built.set(store, statements)
    }
    return statements
  }
}
