import type { HostAccount, HostClient } from '../../host/contract/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { untilAny } from '../../shared/until-any.ts'
import { withoutKnown } from '../accounts/objects/objects.ts'

const MAX_UNKNOWN_ACCOUNTS = 100
/** How long a caller waits for an unresponsive agent. */
const REPLY_TIMEOUT_MS = 3_000

/**
 * Accounts on the host that the store does not know, such as those created after a restored backup; the first hundred.
 * Undefined if the agent does not answer: it is away, or too old.
 */
export async function unknownOn(
  { store, clock }: Runtime,
  host: HostClient,
  signal: AbortSignal,
): Promise<readonly HostAccount[] | undefined> {
  const late = new AbortController()
  const cancel = clock.after(REPLY_TIMEOUT_MS, () => late.abort(new Error('The host agent did not answer in time.')))
  try {
    return await untilAny([signal, late.signal], async (ending) => {
      const options = { signal: ending }
      const ids = (await host.listAccounts({}, options)).map(({ id }) => id)
      const unknown = withoutKnown(store.db, ids).slice(0, MAX_UNKNOWN_ACCOUNTS)
      // Read last, so that an account removed in the meantime is not reported.
      const existing = unknown.length > 0 ? await host.listAccounts({ ids: unknown }, options) : []
      return existing.map(({ id, username }) => ({ id, ...(username !== undefined && { username }) }))
    })
  } catch {
    return undefined
  } finally {
    cancel()
  }
}
