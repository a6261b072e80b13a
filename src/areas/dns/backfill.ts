import { eq } from 'drizzle-orm'
import type { Runtime } from '../../runtime/runtime.ts'
import { accountById } from '../accounts/store.ts'
import { templateFor } from './default-records.ts'
import { serversFor } from './save-zone.ts'
import { addRecord, columnsOf, setZone } from './store.ts'
import { zones } from './tables.ts'

const together = 100

/** Fills zones that a migration created without records, since those need what only a server knows. */
export async function fillZones(runtime: Runtime): Promise<void> {
  const { db, change } = runtime.store
  const unfilled = db.select().from(zones).where(eq(zones.nameservers, [])).orderBy(zones.id)
  for (let some = unfilled.limit(together).all(); some.length > 0; some = unfilled.limit(together).all())
    await change(() => {
      for (const zone of some) fill(runtime, zone)
    })
}

function fill(runtime: Runtime, zone: typeof zones.$inferSelect): void {
  const { store, clock } = runtime
  const of = { db: store.db, runtime }
  const now = clock.now()
  for (const record of templateFor(of, zone)) {
    const times = { created_at: now, updated_at: now }
    addRecord({ store }, { id: runtime.id(), zone_id: zone.id, ...columnsOf(record), managed: true, ...times })
  }
  setZone({ store }, zone.id, { nameservers: serversFor(of, accountById(store.db, zone.account_id)!.owner_id) })
}
