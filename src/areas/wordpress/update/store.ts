import { asc, eq, lte } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { type UpdateItem, type UpdateRow, wordpressUpdates } from './tables.ts'

export const updateOf = (db: Db, site: string): UpdateRow | undefined =>
  db.select().from(wordpressUpdates).where(eq(wordpressUpdates.site_id, site)).get()

export const addUpdate = ({ store }: Pick<Runtime, 'store'>, row: UpdateRow): Promise<void> =>
  store.change(() => void store.db.insert(wordpressUpdates).values(row).run())

export const changeUpdate = ({ store }: Pick<Runtime, 'store'>, site: string, values: Partial<UpdateRow>) =>
  store.change(() => void store.db.update(wordpressUpdates).set(values).where(eq(wordpressUpdates.site_id, site)).run())

export const removeUpdate = (db: Db, site: string): void =>
  void db.delete(wordpressUpdates).where(eq(wordpressUpdates.site_id, site)).run()

/** Updates that can no longer be undone, at most 20. */
export const expiredUpdates = (db: Db, now: number): UpdateRow[] =>
  db
    .select()
    .from(wordpressUpdates)
    .where(lte(wordpressUpdates.expires_at, now))
    .orderBy(asc(wordpressUpdates.expires_at))
    .limit(20)
    .all()

/** Writes the new state of one of an update's items. */
export async function setState(
  runtime: Runtime,
  site: string,
  { kind, slug }: UpdateItem,
  values: Partial<UpdateItem>,
): Promise<void> {
  const { items } = updateOf(runtime.store.db, site)!
  const changed = items.map((one) => (one.kind === kind && one.slug === slug ? { ...one, ...values } : one))
  await changeUpdate(runtime, site, { items: changed })
}
