import { eq } from 'drizzle-orm'
import type { HostClient } from '../../host/contract/client.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { hour } from '../../shared/time.ts'
import { untilAny } from '../../shared/until-any.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { trashStoredFrom } from '../host/trash.ts'
import { onEachNode } from '../nodes/rounds.ts'

/** How long one account may take: what is left is deleted in the next round. */
const ACCOUNT_TIMEOUT_MS = 10 * 60_000

/** Deletes expired files from all accounts' trashes, on each node one account at a time. */
export const expireTrash = (runtime: Runtime, host: HostClient): Engine =>
  onEachNode(runtime, {
    ms: 6 * hour,
    failure: 'old trash could not be removed',
    async run(node, signal) {
      const { db } = runtime.store
      const before = trashStoredFrom(runtime)
      for (const { id } of db.select({ id: accounts.id }).from(accounts).where(eq(accounts.node, node)).all()) {
        if (signal.aborted) return
        const account = accountById(db, id)
        // An account without a home has no trash.
        if (account) await expireOf(runtime, host.files(hostNameOf(account)), before, signal).catch(() => {})
      }
    },
  })

/** Gives up on an account in time, also when the host never answers. */
async function expireOf(
  { clock }: Runtime,
  files: ReturnType<HostClient['files']>,
  before: number,
  stopped: AbortSignal,
): Promise<void> {
  const late = new AbortController()
  const cancel = clock.after(ACCOUNT_TIMEOUT_MS, () => late.abort())
  const end = new Promise<void>((resolve) => {
    late.signal.addEventListener('abort', () => resolve())
  })
  try {
    await untilAny([stopped, late.signal], (signal) =>
      Promise.race([files.act('emptyTrash', { before }, { signal }), end]),
    )
  } finally {
    cancel()
  }
}
