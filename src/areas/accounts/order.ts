import { eq, sql } from 'drizzle-orm'
import type { Order } from '../../host/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { epochOf } from '../../runtime/settings.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { type AccountRow, accounts } from './tables.ts'

/** How new the desired state of an account is: the host tells a newer one from an older by it. */
export const orderOf = (db: Db, { generation }: AccountRow): Order => ({ epoch: epochOf(db), generation })

const queries = prepared((db: Db) => ({
  raise: db
    .update(accounts)
    .set({ generation: sql`${accounts.generation} + 1` })
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
}))

/** Whatever changes the desired state of an account asks for a job of it, in the same change. */
export const raiseGeneration = ({ store }: Runtime, accountId: string): void =>
  void queries(store.db).raise.run({ id: accountId })
