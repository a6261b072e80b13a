import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { type Notices, noticeRowsOf } from '../accounts/objects/notice.ts'
import { accounts } from '../accounts/tables.ts'
import { readOnlyDatabases } from './tables.ts'

const readOnly = {
  kind: 'databases-read-only',
  id: readOnlyDatabases.account_id,
  account: readOnlyDatabases.account_id,
  since: readOnlyDatabases.since,
} as const

const closed = noticeRowsOf(readOnly, (db) =>
  db
    .select({ since: readOnlyDatabases.since, id: accounts.id, name: accounts.username })
    .from(readOnlyDatabases)
    .innerJoin(accounts, eq(accounts.id, readOnlyDatabases.account_id))
    .$dynamic(),
)

/** Accounts that cannot write to their databases while the disk is nearly full. */
export const readOnlyNotices: Notices = ({ db }, scope) =>
  closed(db, scope).map(({ since, id, name }) => ({
    ...{ kind: readOnly.kind, severity: 'error', object: 'account', object_id: id, name, since, account_id: id },
    detail:
      "The server's disk is nearly full, and the databases are larger than the disk quota: they can only be read, emptied with TRUNCATE and dropped.",
  }))

/** The changes to what a node says of the accounts whose databases it has; of others it says nothing. */
export function readOnlyWrites(db: Db, node: string, names: readonly string[], now: number): ((db: Db) => unknown)[] {
  const isOfNode = eq(accounts.database_node, node)
  const named = db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(isOfNode, inArray(accounts.username, [...names])))
    .all()
  const known = db
    .select({ id: accounts.id })
    .from(readOnlyDatabases)
    .innerJoin(accounts, eq(accounts.id, readOnlyDatabases.account_id))
    .where(isOfNode)
    .all()
  const [begun, over] = [without(named, known), without(known, named)]
  return [
    ...begun.map((account_id) => (to: Db) => to.insert(readOnlyDatabases).values({ account_id, since: now }).run()),
    ...over.map((id) => (to: Db) => to.delete(readOnlyDatabases).where(eq(readOnlyDatabases.account_id, id)).run()),
  ]
}

interface Identified {
  readonly id: string
}

function without(rows: readonly Identified[], others: readonly Identified[]): string[] {
  const ids = new Set(others.map(({ id }) => id))
  return rows.flatMap(({ id }) => (ids.has(id) ? [] : [id]))
}
