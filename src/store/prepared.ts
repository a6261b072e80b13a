import type { Db } from './open.ts'

/** Statements prepared once for each store: `const queries = prepared((db) => ({ ... }))`, then `queries(db).byId`. */
export function prepared<T>(build: (db: Db) => T): (db: Db) => T {
  const built = new WeakMap<Db, T>()
  return (db) => {
    let statements = built.get(db)
    if (!statements) {
      statements = build(db)
      built.set(db, statements)
    }
    return statements
  }
}
