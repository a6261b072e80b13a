import type { Outside } from '../../runtime/areas/area.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { minute } from '../../shared/time.ts'
import { currentRules, pendingIn, rowsOf, rulesWithout, settleRules } from './store.ts'

const INTERVAL_MS = 10 * minute

/** Has the machine's rules follow the store where they differ: after it was set up anew, or the panel restored. */
export function startFirewall(runtime: Runtime, { host }: Outside): Engine {
  const stop = every(runtime, INTERVAL_MS, 'the rules of the firewall could not be compared', async (signal) => {
    const { store, clock } = runtime
    if (rowsOf(store.db).length === 0 && host.kind !== 'debian') return
    const seen = await host.firewall({}, { signal })
    if (!seen.isSetUp || seen.pending !== undefined) return
    await store.change(() => settleRules(store.db, clock.now(), seen))
    const rows = currentRules(store.db, clock.now())
    if (pendingIn(rows)) return
    await host.changeFirewall({ id: runtime.id(), rules: rulesWithout(rows) }, { signal })
  })
  return { stop }
}
