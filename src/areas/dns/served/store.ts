import { and, eq, sql } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { allNodes } from '../../nodes/store.ts'
import { type ServedRow, served } from './tables.ts'

const of = (row: ServedRow) =>
  and(eq(served.node, row.node), eq(served.account_id, row.account_id), eq(served.due, row.due))

/** It has them, or, without any, nothing of the account any more; what has changed since is still owed. */
export function noteServed(db: Db, row: ServedRow, hasZones: boolean): void {
  if (hasZones) db.update(served).set({ due: 0 }).where(of(row)).run()
  else db.delete(served).where(of(row)).run()
}

/** All that it has is told anew. */
export const oweAll = (db: Db, node: string): void =>
  void db
    .update(served)
    .set({ due: sql`abs(${served.due}) + 1` })
    .where(eq(served.node, node))
    .run()

/** Name servers of other nodes may have zones of accounts that the store does not know. Inside a change. */
export function oweGone({ store: { db } }: Runtime, accounts: readonly string[], holder: string): void {
  const servers = allNodes(db).filter(({ name, roles }) => name !== holder && roles.includes('dns'))
  for (const { name: node } of servers)
    for (const account_id of accounts)
      db.insert(served)
        .values({ node, account_id, due: 1 })
        .onConflictDoUpdate({ target: [served.node, served.account_id], set: { due: sql`abs(${served.due}) + 1` } })
        .run()
}
