import type Database from 'better-sqlite3'
import type { Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'

// By hand: what is there already is passed over row by row, and rows are taken away in steps.

const step = 10_000

const queries = prepared((sqlite: Database.Database) => ({
  add: sqlite.prepare<[number, string]>('INSERT OR IGNORE INTO visitor_hashes (visitor_day, hash) VALUES (?, ?)'),
  forget: sqlite.prepare<[{ day: number; step: number }]>(
    `DELETE FROM visitor_hashes WHERE visitor_day = @day
     AND hash IN (SELECT hash FROM visitor_hashes WHERE visitor_day = @day LIMIT @step + 0)`,
  ),
}))

/** Notes the visitors of a site's day; answers how many of them are new. */
export function addVisitors({ sqlite }: Store, day: number, hashes: readonly string[]): number {
  const { add } = queries(sqlite)
  return hashes.reduce((fresh, hash) => fresh + add.run(day, hash).changes, 0)
}

/** Takes away some of the hashes of a site's day; answers whether there may be more. */
export const forgetVisitors = ({ sqlite }: Store, day: number): boolean =>
  queries(sqlite).forget.run({ day, step }).changes === step
