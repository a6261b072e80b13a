import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/kind.ts'
import { isFollowed } from '../../runtime/queue.ts'
import { applyAccount, type Host } from '../accounts/apply.ts'
import { accountById } from '../accounts/store.ts'
import { keysOf, markApplied, removeUnapplied } from './store.ts'

async function applySsh(host: Host, job: RunningJob): Promise<Settle> {
  const { db } = host.runtime.store
  const account = accountById(db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  const ids = keysOf(db, account.id).map(({ id }) => id)
  await applyAccount(host, account, job, { areas: ['ssh'] })
  return (ctx) => markApplied(ctx, ids)
}

/** A key that the host never got is not kept; what else was asked for comes with the next job. */
export const sshJobs = (host: Host): JobKind[] => [
  {
    kind: 'ssh.apply',
    run: (job) => applySsh(host, job),
    failed(ctx, job) {
      if (!isFollowed(ctx.runtime, job)) removeUnapplied(ctx, job.account_id!)
    },
  },
]
