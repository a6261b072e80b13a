import type { HostClient } from '../../host/client.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { every } from '../../runtime/tick.ts'
import { hour } from '../../shared/time.ts'
import { hostNameOf } from '../accounts/state.ts'
import { accountById } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { trashKeptFrom } from '../host/trash.ts'

/** Deletes expired files from all accounts' trashes, one account at a time. */
export function expireTrash(runtime: Runtime, host: HostClient): Engine {
  const { db } = runtime.store
  const stop = every(runtime, 6 * hour, 'old trash could not be removed', async (signal) => {
    const before = trashKeptFrom(runtime)
    for (const { id } of db.select({ id: accounts.id }).from(accounts).all()) {
      if (signal.aborted) return
      const account = accountById(db, id)
      // An account without a home has no trash.
      if (account)
        await host
          .files(hostNameOf(account))
          .act('emptyTrash', { before }, { signal })
          .catch(() => {})
    }
  })
  return { stop }
}
