import { and, eq, gte, lt, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Wanted } from './source.ts'

/** Matches a column's text; both forms can use an index. */
export const matching = (column: SQLiteColumn, wanted: Wanted): SQL =>
  'name' in wanted
    ? eq(column, wanted.name)
    : and(gte(column, wanted.prefix), lt(column, `${wanted.prefix}\u{10ffff}`))!
