import type { HostClient } from '../../host/client.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { every } from '../../runtime/tick.ts'
import { day, hour } from '../../shared/time.ts'
import { hostNameOf } from '../accounts/state.ts'
import { accountById } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'

const kept = 30 * day

/** Empties what was deleted more than 30 days ago from all trashes, one after the other. */
export function expireTrash(runtime: Runtime, host: HostClient): Engine {
  const { db } = runtime.store
  const stop = every(runtime, 6 * hour, 'old trash could not be removed', async (signal) => {
    const before = runtime.clock.now() - kept
    for (const { id } of db.select({ id: accounts.id }).from(accounts).all()) {
      if (signal.aborted) return
      const account = accountById(db, id)
      // One without a home yet has nothing to empty.
      if (account)
        await host
          .files(hostNameOf(account))
          .act('emptyTrash', { before }, { signal })
          .catch(() => {})
    }
  })
  return { stop }
}
