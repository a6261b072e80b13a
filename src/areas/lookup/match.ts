import { and, eq, gte, lt, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { LookupQuery } from './source.ts'

/** Matches a column's text; both forms can use an index. */
export const matching = (column: SQLiteColumn, query: LookupQuery): SQL =>
  'name' in query ? eq(column, query.name) : and(gte(column, query.prefix), lt(column, `${query.prefix}\u{10ffff}`))!
