import type { HostClient } from '../../../host/contract/client.ts'
import type { Outside } from '../../../runtime/areas/area.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { hour } from '../../../shared/time.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { accountById } from '../../accounts/store.ts'
import { baseOf, encoded } from '../files.ts'
import { siteById } from '../store.ts'
import { changeUpdate, expiredUpdates, removeUpdate } from './store.ts'
import type { UpdateRow } from './tables.ts'

/** Removes what an undo would need once that is no longer offered. */
export const removeUpdates = (runtime: Runtime, { host }: Pick<Outside, 'host'>): Engine => ({
  stop: every(runtime, hour, 'expired updates of WordPress sites could not be removed', async (signal) => {
    const { store, clock } = runtime
    for (const row of expiredUpdates(store.db, clock.now())) {
      if (signal.aborted) return
      if (!(await removeFiles(runtime, host, row, signal)))
        await changeUpdate(runtime, row.site_id, { expires_at: clock.now() + hour })
      else await store.change(() => removeUpdate(store.db, row.site_id))
    }
  }),
})

async function removeFiles(runtime: Runtime, host: HostClient, { site_id }: UpdateRow, signal: AbortSignal) {
  const site = siteById(runtime.store.db, site_id)
  const account = site && accountById(runtime.store.db, site.account_id)
  if (!site || !account) return true
  // An undo that was started before is at work.
  if (site.status === 'working') return false
  return host
    .files(hostNameOf(account))
    .act('remove', { path: encoded(baseOf(site)) }, { signal })
    .then(
      () => true,
      () => false,
    )
}
