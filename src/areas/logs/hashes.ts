import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { visitorHashes } from './tables.ts'

const step = 10_000

const queries = prepared((db: Db) => {
  const ofDay = eq(visitorHashes.visitor_day, sql.placeholder('day'))
  const some = db.select({ hash: visitorHashes.hash }).from(visitorHashes).where(ofDay).limit(step)
  return {
    add: db
      .insert(visitorHashes)
      .values({ visitor_day: sql.placeholder('day'), hash: sql.placeholder('hash') })
      .onConflictDoNothing()
      .prepare(),
    forget: db
      .delete(visitorHashes)
      .where(and(ofDay, inArray(visitorHashes.hash, some)))
      .prepare(),
  }
})

/** Records visitors of a site's day; returns how many are new. */
export const addVisitors = (db: Db, day: number, hashes: readonly string[]): number =>
  hashes.reduce((fresh, hash) => fresh + queries(db).add.run({ day, hash }).changes, 0)

/** Deletes some hashes of a site's day; returns whether there may be more. */
export const forgetVisitors = (db: Db, day: number): boolean => queries(db).forget.run({ day }).changes === step
