import { sql } from 'drizzle-orm'
import type { HeldAccount, HostClient } from '../../host/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'

const most = 100
/** A caller waits no longer for an agent that is away. */
const patience = 3_000

/**
 * Accounts that lie on the host and that the store does not know, such as those made after the backup that was
 * restored; the first hundred. Nothing where the agent does not say: it is away, or older than the question.
 */
export async function unknownOn(
  { store, clock }: Runtime,
  host: HostClient,
  signal: AbortSignal,
): Promise<readonly HeldAccount[] | undefined> {
  const late = new AbortController()
  const cancel = clock.after(patience, () => late.abort(new Error('The host agent did not answer in time.')))
  const options = { signal: AbortSignal.any([signal, late.signal]) }
  try {
    const ids = (await host.held(undefined, options)).map(({ id }) => id)
    const unknown = withoutKnown(store.db, ids).slice(0, most)
    // Read last, so that an account removed in the meantime is not reported.
    return unknown.length > 0 ? await host.held(unknown, options) : []
  } catch {
    return undefined
  } finally {
    cancel()
  }
}

function withoutKnown(db: Db, ids: readonly string[]): string[] {
  const given = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const rows = db.select({ id: accounts.id }).from(accounts).where(sql`${accounts.id} IN ${given}`).all()
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}
