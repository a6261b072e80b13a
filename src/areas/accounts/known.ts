import { sql } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { accounts } from './tables.ts'

/** The ids that belong to no account. */
export function withoutKnown(db: Db, ids: readonly string[]): string[] {
  const given = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const rows = db.select({ id: accounts.id }).from(accounts).where(sql`${accounts.id} IN ${given}`).all()
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}
