import { and, eq, sql } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db, Store } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { update } from '../../../store/rows.ts'
import { allNodes } from '../../nodes/store.ts'
import { type ServedRow, served } from './tables.ts'

const write = update(served, 'node = ? AND account_id = ? AND due = ?')

const queries = prepared((db: Db) => ({
  remove: db
    .delete(served)
    .where(
      and(
        eq(served.node, sql.placeholder('node')),
        eq(served.account_id, sql.placeholder('account_id')),
        eq(served.due, sql.placeholder('due')),
      ),
    )
    .prepare(),
}))

/** The node has the account's zones, or has dropped them all; later changes are still due. */
export function noteServed({ db, sqlite }: Store, row: ServedRow, hasZones: boolean): void {
  if (hasZones) write(sqlite, { due: 0 }, row.node, row.account_id, row.due)
  else queries(db).remove.run({ ...row })
}

/** Resends everything that a node has. */
export const oweAll = (db: Db, node: string): void =>
  void db
    .update(served)
    .set({ due: sql`abs(${served.due}) + 1` })
    .where(eq(served.node, node))
    .run()

/** Other nodes' name servers may have zones of accounts that the store does not know. Inside a change. */
export function oweGone({ store: { db } }: Runtime, accounts: readonly string[], holder: string): void {
  const servers = allNodes(db).filter(({ name, roles }) => name !== holder && roles.includes('dns'))
  for (const { name: node } of servers)
    for (const account_id of accounts)
      db.insert(served)
        .values({ node, account_id, due: 1 })
        .onConflictDoUpdate({ target: [served.node, served.account_id], set: { due: sql`abs(${served.due}) + 1` } })
        .run()
}
