import type { HostArea } from '../../../host/contract/driver.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/jobs/job-kind.ts'
import { isFollowed } from '../../../runtime/jobs/queue.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { applyAccount, type Host } from '../jobs/apply.ts'
import { accountById } from '../store.ts'

/** Account objects in one part of the host, kept once they are applied there. */
interface PendingObjects {
  readonly kind: string
  readonly area: HostArea
  readonly ids: (db: Db, account: string) => readonly string[]
  /** Marks these as applied. */
  readonly markApplied: (ctx: Context, ids: readonly string[]) => void
  /** Removes those that never reached the host. */
  readonly removeUnapplied: (ctx: Context, account: string) => void
}

/**
 * The job that applies them. Additions that never reach the host are removed; other changes are retried by the next
 * job.
 */
export const applyOrDiscardJob = (host: Host, objects: PendingObjects): JobKind => ({
  kind: objects.kind,
  run: (job) => apply(host, job, objects),
  failed(ctx, job) {
    if (!isFollowed(ctx.runtime, job)) objects.removeUnapplied(ctx, job.account_id!)
  },
})

async function apply(host: Host, job: RunningJob, { area, ids, markApplied }: PendingObjects): Promise<Settle> {
  const { db } = host.runtime.store
  const account = accountById(db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  const carried = ids(db, account.id)
  await applyAccount(host, account, job, { areas: [area] })
  return (ctx) => markApplied(ctx, carried)
}
