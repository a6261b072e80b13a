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

/** The node that an account is on; the control plane's own where the account is not known. */
export const nodeOf = (db: Db, id: string): string => queries(db).node.get({ id })?.node ?? localNode
