import { eq } from 'drizzle-orm'
import type { AccountUsage } from '../../host/contract/driver.ts'
import type { Store } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'
import { databases } from './tables.ts'

/** Stores an account's database sizes, if the host could tell; inside a change. A node chooses how many it names. */
export function keepSizes({ db }: Store, { id, databases: sizes }: AccountUsage, now: number): void {
  if (!sizes) return
  const measured = new Map(sizes.map(({ name, bytes }) => [name, bytes]))
  const own = db.select({ id: databases.id, name: databases.name }).from(databases)
  for (const { id: database, name } of own.where(eq(databases.account_id, id)).all()) {
    const used_bytes = measured.get(name)
    if (used_bytes === undefined) continue
    db.update(databases).set({ used_bytes, measured_at: now }).where(eq(databases.id, database)).run()
  }
  const total = Math.min(
    sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    Number.MAX_SAFE_INTEGER,
  )
  db.update(accounts).set({ db_used_bytes: total }).where(eq(accounts.id, id)).run()
}
