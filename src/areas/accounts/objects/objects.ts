import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { notFound } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { page, type Search } from '../../../store/page.ts'
import { prepared } from '../../../store/prepared.ts'

import { accounts } from '../tables.ts'

/** The ids that belong to no account. */
export function withoutKnown(db: Db, ids: readonly string[]): string[] {
  const values = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const rows = db.select({ id: accounts.id }).from(accounts).where(sql`${accounts.id} IN ${values}`).all()
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}

type Owned = SQLiteTable & { readonly id: SQLiteColumn; readonly account_id: SQLiteColumn }

interface ObjectKind {
  /** Its noun in a 404. */
  readonly noun: string
  /** What `q` is matched against. */
  readonly name: SQLiteColumn | SQL
}

/** The usual queries on a table of account objects. The caller must be able to reach the account. */
export function objectsOf<T extends Owned>(table: T, { noun, name }: ObjectKind) {
  const queries = queriesOn(table)
  return {
    /** The object, or 404 `not-found` if the account has none with this id. */
    find({ db }: Context, account: string, id: string): T['$inferSelect'] {
      const found = queries(db).one.get({ account, id })
      if (!found) throw notFound(noun)
      return found
    },
    /** In order of creation, an exact match first. */
    page({ db }: Context, account: string, query: Search, more?: SQL): { items: T['$inferSelect'][]; total: number } {
      const rows = rowsOf(db, table).$dynamic()
      return page(db, { rows, table, id: table.id, where: and(eq(table.account_id, account), more), name }, query)
    },
    /** How many an account has, for `counts`. */
    count: (db: Db, account: string): number => queries(db).count.get({ account })!.total,
    /** All of them, for the host's desired state. */
    all: (db: Db, account: string): T['$inferSelect'][] => queries(db).all.all({ account }),
  }
}

const rowsOf = (db: Db, table: Owned) => db.select().from(table as SQLiteTable)

/** Prepared once, since each job runs them: building a query takes many times as long as running it. */
const queriesOn = (table: Owned) =>
  prepared((db: Db) => {
    const owned = eq(table.account_id, sql.placeholder('account'))
    return {
      one: rowsOf(db, table)
        .where(and(eq(table.id, sql.placeholder('id')), owned))
        .prepare(),
      count: db.select({ total: count() }).from(table).where(owned).prepare(),
      all: rowsOf(db, table).where(owned).orderBy(table.id).prepare(),
    }
  })
