import type { AccountState, HostArea } from '../../host/contract/driver.ts'
import { areasOf } from '../../runtime/jobs/coalesce.sql.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/jobs/job-kind.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { applyAccount, type Host } from '../accounts/jobs/apply.ts'
import { accountById } from '../accounts/store.ts'
import { setApplied, zoneById } from './store.ts'

/** Records the serials that the host has now. */
export function noteApplied(ctx: Pick<Context, 'store'>, { id, parts }: Pick<AccountState, 'id' | 'parts'>): void {
  for (const { name, serial } of parts.dns.zones) setApplied(ctx, id, name, serial)
}

/** Applies all zones of the account. */
async function apply(host: Host, job: RunningJob): Promise<Settle | undefined> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  const state = await applyAccount(host, account, job, { areas: areasOf(job.row.payload) as HostArea[] })
  return state && ((ctx) => noteApplied(ctx, state))
}

/** Kinds that apply an account's zones; after a final failure, the next job converges. */
export function dnsJobs(host: Host): JobKind[] {
  const run = (job: RunningJob) => apply(host, job)
  const exists: JobKind['exists'] = ({ object_id }) => zoneById(host.runtime.store.db, object_id!) !== undefined
  const steps = ['prepare', 'apply'] as const
  return [
    { kind: 'dns.zone.create', steps, exists, run },
    { kind: 'dns.zone.update', steps, exists, run },
    { kind: 'dns.zone.reset', steps, exists, run },
    { kind: 'dns.zone.delete', steps, run },
  ]
}
