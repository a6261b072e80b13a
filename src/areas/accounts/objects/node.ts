import { eq, sql } from 'drizzle-orm'
import { localNode } from '../../../shared/node-name.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { accounts } from '../tables.ts'

const queries = prepared((db) => ({
  node: db
    .select({ node: accounts.node })
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
  owner: db
    .select({ owner: accounts.owner_id })
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
}))

/** Who owns an account: root, a reseller, or for a reseller's own account itself; undefined for unknown accounts. */
export const ownerOf = (db: Db, id: string): string | undefined => queries(db).owner.get({ id })?.owner

/** An account's node; the control plane's own for unknown accounts. */
export const nodeOf = (db: Db, id: string): string => queries(db).node.get({ id })?.node ?? localNode
