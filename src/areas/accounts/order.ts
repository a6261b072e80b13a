import type Database from 'better-sqlite3'
import type { Order } from '../../host/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { epochOf } from '../../runtime/settings.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import type { AccountRow } from './tables.ts'

/** How new the desired state of an account is: the host tells a newer one from an older by it. */
export const orderOf = (db: Db, { generation }: AccountRow): Order => ({ epoch: epochOf(db), generation })

const statements = prepared((sqlite: Database.Database) => ({
  raise: sqlite.prepare<[string]>('UPDATE accounts SET generation = generation + 1 WHERE id = ?'),
}))

/** Whatever changes the desired state of an account asks for a job of it, in the same change. */
export const raiseGeneration = ({ store }: Runtime, accountId: string): void =>
  void statements(store.sqlite).raise.run(accountId)
