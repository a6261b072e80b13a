import type { JobKind, RunningJob, Settle } from '../../runtime/jobs/job-kind.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { applyAccount, type Host, unheard } from '../accounts/jobs/apply.ts'
import { apply, applySteps } from '../accounts/jobs/index.ts'
import { accountById } from '../accounts/store.ts'
import { domainById } from '../domains/store.ts'
import { giveUp, settle } from './activate.ts'
import { usedBy } from './store.ts'

const areas = ['tls', 'web'] as const

/** Applies a domain's certificate in use. */
async function install(host: Host, job: RunningJob): Promise<Settle> {
  const { db } = host.runtime.store
  const used = usedBy(db, { id: job.row.payload['domain_id']! })
  const applied = await apply(host, job, { areas })
  return (ctx) => {
    applied?.(ctx)
    if (used) settle(ctx, used)
  }
}

/** Applies the state without what failed. */
async function reapply(host: Host, row: JobRow, signal: AbortSignal): Promise<void> {
  const account = accountById(host.runtime.store.db, row.account_id!)
  if (account) await applyAccount(host, account, unheard(row, signal), { areas })
}

/** Kinds that change a domain's certificate; `object_id` is the certificate's. */
export function sslJobs(host: Host): JobKind[] {
  const { runtime } = host
  const exists = (job: JobRow) => domainById(runtime.store.db, job.payload['domain_id']!) !== undefined
  return [
    {
      kind: 'ssl.install',
      steps: applySteps,
      exists,
      run: (job) => install(host, job),
      async undo(job, signal) {
        await runtime.store.change(() => giveUp(runtime.store.db, job.object_id!))
        await reapply(host, job, signal)
      },
      failed: (ctx, job) => giveUp(ctx.db, job.object_id!),
    },
    { kind: 'ssl.uninstall', steps: applySteps, exists, run: (job) => install(host, job) },
  ]
}
