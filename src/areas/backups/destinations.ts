import { eq } from 'drizzle-orm'
import { invalid } from '../../contract/problem.ts'
import type { BackupPlace } from '../../host/driver.ts'
import { isRoot } from '../../runtime/actor.ts'
import type { Context } from '../../runtime/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { type BackupRow, type DestinationRow, destinations } from './tables.ts'

/** Backups are kept below the data directory until root says otherwise. */
export async function makeLocalDestination({ store, clock, id }: Runtime): Promise<void> {
  if (store.db.select().from(destinations).limit(1).get()) return
  const now = clock.now()
  const local = { name: 'local', type: 'local', is_default: true, path: null } as const
  await store.change(() => {
    store.db
      .insert(destinations)
      .values({ id: id(), ...local, created_at: now, updated_at: now })
      .run()
  })
}

export const destinationById = (db: Db, id: string): DestinationRow | undefined =>
  db.select().from(destinations).where(eq(destinations.id, id)).get()

export const defaultDestination = (db: Db): DestinationRow =>
  db.select().from(destinations).where(eq(destinations.is_default, true)).get()!

/** The destination that a body names; only root may name one. */
export function namedDestination({ db, actor }: Context, id: string | null | undefined): DestinationRow | undefined {
  if (id === undefined || id === null) return undefined
  if (!isRoot(actor)) throw invalid('destination_id', 'can be chosen by root only')
  const found = destinationById(db, id)
  if (!found) throw invalid('destination_id', 'is not a backup destination of this server')
  return found
}

/** Where a backup lies on the host. */
export function placeOf(db: Db, { id, account_id, destination_id }: BackupRow): BackupPlace {
  const path = destinationById(db, destination_id)?.path ?? undefined
  return { account: account_id, backup: id, ...(path === undefined ? {} : { path }) }
}
