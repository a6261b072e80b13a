import { and, asc, count, desc, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteSelect, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from './open.ts'

/** The query of every paged list. */
export interface Paging {
  readonly page: number
  readonly per_page: number
  readonly order: 'asc' | 'desc'
}

/** A paged list that can be searched by name. */
export interface Search extends Paging {
  readonly q?: string | undefined
}

type Name = SQLiteColumn | SQL

interface Listed<Rows extends SQLiteSelect> {
  /** The selection from the table. */
  readonly rows: Rows
  readonly table: SQLiteTable
  /** Increases with creation, so that pages do not shift. */
  readonly id: SQLiteColumn
  readonly where?: SQL | undefined
  /** The columns that `q` is matched against. */
  readonly name?: Name | readonly Name[]
}

/** A page in order of creation, an exact match first, and the total count of matches. */
export function page<Rows extends SQLiteSelect>(
  db: Db,
  { rows, table, id, where, name }: Listed<Rows>,
  { q, ...paging }: Search,
): { items: Rows['_']['result']; total: number } {
  const sought = name && q ? soughtIn([name].flat() as Name[], q) : { matches: undefined, first: [] }
  const matches = and(where, sought.matches)
  const items = rows
    .where(matches)
    .orderBy(...sought.first, paging.order === 'desc' ? desc(id) : asc(id))
    .limit(paging.per_page)
    .offset(offsetOf(paging))
    .all() as Rows['_']['result']
  return { items, total: db.select({ total: count() }).from(table).where(matches).get()!.total }
}

export const offsetOf = ({ page, per_page }: Pick<Paging, 'page' | 'per_page'>): number => (page - 1) * per_page

const soughtIn = (names: readonly Name[], q: string) => ({
  matches: or(...names.map((name) => contains(name, q))),
  first: [sql`${or(...names.map((name) => isExactly(name, q)))} DESC`],
})

/** `LIKE '%q%'` with q taken literally. LIKE stops at the first NUL, and no name contains one. */
const contains = (name: Name, q: string): SQL =>
  q.includes('\0') ? sql`0` : sql`${name} LIKE ${`%${q.replace(/[\\%_]/g, (char) => `\\${char}`)}%`} ESCAPE '\\'`

const isExactly = (name: Name, q: string): SQL => sql`${name} = ${q} COLLATE NOCASE`
