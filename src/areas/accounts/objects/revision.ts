import { eq, sql } from 'drizzle-orm'
import type { Revision } from '../../../host/contract/client.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { epochOf } from '../../../runtime/settings/settings.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { type AccountRow, accounts } from '../tables.ts'

/** The version of an account's desired state, by which the host recognizes a newer one. */
export const revisionOf = (db: Db, { generation }: AccountRow): Revision => ({ epoch: epochOf(db), generation })

const queries = prepared((db: Db) => ({
  raise: db
    .update(accounts)
    .set({ generation: sql`${accounts.generation} + 1` })
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
}))

/** Every change of an account's desired state enqueues a job, in the same change. */
export const raiseGeneration = ({ store }: Runtime, accountId: string): void =>
  void queries(store.db).raise.run({ id: accountId })
