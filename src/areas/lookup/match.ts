import { and, eq, gte, lt, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Wanted } from './source.ts'

/** The condition that a column's text is what is wanted; both can use an index. */
export const matching = (column: SQLiteColumn, wanted: Wanted): SQL =>
  'name' in wanted
    ? eq(column, wanted.name)
    : and(gte(column, wanted.prefix), lt(column, `${wanted.prefix}\u{10ffff}`))!
