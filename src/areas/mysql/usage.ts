import { and, eq } from 'drizzle-orm'
import type { AccountUsage } from '../../host/contract/driver.ts'
import type { Store } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'
import { databases } from './tables.ts'

/** Stores an account's database sizes, if the host could tell; inside a change. */
export function keepSizes({ db }: Store, { id, databases: sizes }: AccountUsage, now: number): void {
  if (!sizes) return
  for (const { name, bytes } of sizes)
    db.update(databases)
      .set({ used_bytes: bytes, measured_at: now })
      .where(and(eq(databases.account_id, id), eq(databases.name, name)))
      .run()
  const total = Math.min(
    sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    Number.MAX_SAFE_INTEGER,
  )
  db.update(accounts).set({ db_used_bytes: total }).where(eq(accounts.id, id)).run()
}
