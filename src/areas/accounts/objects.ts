import { and, count, eq, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { notFound } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import type { Db } from '../../store/open.ts'
import { page, type Search } from '../../store/page.ts'

type Owned = SQLiteTable & { readonly id: SQLiteColumn; readonly account_id: SQLiteColumn }

interface Kind {
  /** What a 404 calls it. */
  readonly noun: string
  /** What the query `q` is a part of. */
  readonly name: SQLiteColumn
}

/** The usual queries on a table of what accounts have. Whoever asks must reach the account. */
export const objectsOf = <T extends Owned>(table: T, { noun, name }: Kind) => ({
  /** The object, or 404 `not-found` where the account has none of this id. */
  find({ db }: Context, accountId: string, id: string): T['$inferSelect'] {
    const found = db
      .select()
      .from(table as SQLiteTable)
      .where(and(eq(table.id, id), eq(table.account_id, accountId)))
      .get()
    if (!found) throw notFound(noun)
    return found
  },
  /** In order of creation, an exact match first. */
  page({ db }: Context, accountId: string, query: Search, more?: SQL): { items: T['$inferSelect'][]; total: number } {
    const rows = db
      .select()
      .from(table as SQLiteTable)
      .$dynamic()
    return page(db, { rows, table, id: table.id, where: and(eq(table.account_id, accountId), more), name }, query)
  },
  /** How many an account has: of what its package limits, for `counts`. */
  count: (db: Db, accountId: string): number =>
    db.select({ total: count() }).from(table).where(eq(table.account_id, accountId)).get()!.total,
  /** All of them, for the desired state of the host. */
  all: (db: Db, accountId: string): T['$inferSelect'][] =>
    db
      .select()
      .from(table as SQLiteTable)
      .where(eq(table.account_id, accountId))
      .orderBy(table.id)
      .all(),
})
