import { eq, sql } from 'drizzle-orm'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { accounts } from './tables.ts'

const queries = prepared((db) => ({
  node: db
    .select({ node: accounts.node })
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
}))

/** An account's node; the control plane's own for unknown accounts. */
export const nodeOf = (db: Db, id: string): string => queries(db).node.get({ id })?.node ?? localNode
