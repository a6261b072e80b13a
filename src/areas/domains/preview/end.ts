import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import type { EventRow } from '../../../runtime/events/emission.ts'
import { enqueue } from '../../../runtime/jobs/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { minute } from '../../../shared/time.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import type { DomainRow } from '../tables.ts'
import { domainsWithPreview, removePreview } from './store.ts'

/** Has the host show the domain's preview, or its end; inside a change. */
export function reapplyDomain(runtime: Runtime, { id, account_id }: DomainRow): void {
  const { db } = runtime.store
  const account = accountById(db, account_id)
  if (!account) return
  const job = { kind: 'domain.update', account: nameOf(account), object_id: id }
  enqueue(runtime, job, systemActor(db), runtime.id())
}

/** The job that suspends the account applies its sites. */
export function endWithSuspension({ store }: Runtime, { type, account_id }: EventRow): void {
  if (type !== 'account.suspended' || account_id === null) return
  for (const { id } of domainsWithPreview(store.db, { account: account_id })) removePreview(store, id)
}

/** Ends previews whose time has passed. */
export function endPreviews(runtime: Runtime): Engine {
  const { store, clock } = runtime
  const stop = every(runtime, minute, 'the end of previews failed', async () => {
    if (domainsWithPreview(store.db, { until: clock.now() }).length === 0) return
    await store.change(() => {
      for (const domain of domainsWithPreview(store.db, { until: clock.now() })) {
        removePreview(store, domain.id)
        reapplyDomain(runtime, domain)
      }
    })
  })
  return { stop }
}
