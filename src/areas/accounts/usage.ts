import { gt } from 'drizzle-orm'
import type { HostClient } from '../../host/client.ts'
import type { AccountUsage } from '../../host/driver.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { every } from '../../runtime/tick.ts'
import type { Db, Store } from '../../store/open.ts'
import { hostNameOf } from './state.ts'
import { accountById, writeAccount } from './store.ts'
import { accounts } from './tables.ts'

const quarter = 15 * 60_000
const chunk = 50

/** Writes what was measured; inside a change. */
export function keepUsage(store: Store, usage: AccountUsage, now: number): void {
  const { diskMb: disk_used_mb, inodes: inodes_used, bandwidthMb: bw_used_month_mb } = usage
  writeAccount(store.sqlite, { disk_used_mb, inodes_used, bw_used_month_mb, measured_at: now }, usage.id)
}

/** Measures every account in small steps. No job row, no event. */
export async function measure(runtime: Runtime, host: HostClient, signal?: AbortSignal): Promise<void> {
  let after = ''
  for (;;) {
    const ids = idsAfter(runtime.store.db, after)
    if (ids.length === 0 || signal?.aborted) return
    const names = ids.flatMap((id) => accountById(runtime.store.db, id) ?? []).map(hostNameOf)
    const usages = await host.usage(names, { signal })
    const now = runtime.clock.now()
    await runtime.store.change(() => {
      for (const usage of usages) keepUsage(runtime.store, usage, now)
    })
    after = ids.at(-1)!
  }
}

const idsAfter = (db: Db, after: string): string[] =>
  db
    .select({ id: accounts.id })
    .from(accounts)
    .where(gt(accounts.id, after))
    .orderBy(accounts.id)
    .limit(chunk)
    .all()
    .map(({ id }) => id)

/** Measures every 15 minutes until told to stop. */
export const measuring = (runtime: Runtime, host: HostClient): Engine => ({
  stop: every(runtime, quarter, 'usage could not be measured', (signal) => measure(runtime, host, signal)),
})
