import { eq } from 'drizzle-orm'
import type { AccountUsage } from '../../host/driver.ts'
import type { Store } from '../../store/open.ts'
import { usageCpu } from './tables.ts'

/** CPU time used since the last measurement; null if the host cannot tell. */
export function cpuSince({ db }: Store, { id, cpuMs }: AccountUsage): number | null {
  if (cpuMs === undefined) return null
  const before = db.select().from(usageCpu).where(eq(usageCpu.account_id, id)).get()?.total_ms ?? cpuMs
  db.insert(usageCpu)
    .values({ account_id: id, total_ms: cpuMs })
    .onConflictDoUpdate({ target: usageCpu.account_id, set: { total_ms: cpuMs } })
    .run()
  // The counter restarts when all of the account's processes have stopped.
  return cpuMs < before ? cpuMs : cpuMs - before
}
