import type { HostArea } from '../../host/driver.ts'
import type { Context } from '../../runtime/context.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/kind.ts'
import { isFollowed } from '../../runtime/queue.ts'
import type { Db } from '../../store/open.ts'
import { applyAccount, type Host } from './apply.ts'
import { accountById } from './store.ts'

/** Objects of an account that stand in one part of its host, and are kept once the host has them. */
interface Kept {
  readonly kind: string
  readonly area: HostArea
  readonly ids: (db: Db, account: string) => readonly string[]
  /** The host has these now. */
  readonly markApplied: (ctx: Context, ids: readonly string[]) => void
  /** Takes those back that never reached the host. */
  readonly removeUnapplied: (ctx: Context, account: string) => void
}

/** The job that carries them there. One that never reaches the host is not kept; other changes come with the next job. */
export const keptJob = (host: Host, kept: Kept): JobKind => ({
  kind: kept.kind,
  run: (job) => carry(host, job, kept),
  failed(ctx, job) {
    if (!isFollowed(ctx.runtime, job)) kept.removeUnapplied(ctx, job.account_id!)
  },
})

async function carry(host: Host, job: RunningJob, { area, ids, markApplied }: Kept): Promise<Settle> {
  const { db } = host.runtime.store
  const account = accountById(db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  const carried = ids(db, account.id)
  await applyAccount(host, account, job, { areas: [area] })
  return (ctx) => markApplied(ctx, carried)
}
