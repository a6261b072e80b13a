import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/kind.ts'
import { isFollowed } from '../../runtime/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { type Host, reapplyAccount } from '../accounts/apply.ts'
import { apply, applySteps } from '../accounts/jobs.ts'
import { domainParts } from './part.ts'
import { pendingRedirects, putBackRedirects, settleRedirects } from './redirects.ts'
import { domainById, removeDomain, setDomain } from './store.ts'
import { type DomainRow, siteValues } from './tables.ts'

const domainOf = ({ store }: Runtime, { object_id }: JobRow): DomainRow | undefined => domainById(store.db, object_id!)

/** Brings the account in line: what of a domain lies in the home is the job's own object. */
async function create(host: Host, job: RunningJob): Promise<Settle> {
  const domain = domainOf(host.runtime, job.row)
  if (!domain) throw new JobError('The domain no longer exists.', true)
  const settle = await apply(host, job, { needsHome: true })
  return (ctx) => {
    settle?.(ctx)
    if (domainOf(host.runtime, job.row)?.status === 'provisioning') setDomain(ctx, domain.id, { status: 'active' })
  }
}

/** Remembers what the host has then, so that a later change that fails can be put back. */
async function update(host: Host, job: RunningJob): Promise<Settle> {
  const domain = domainOf(host.runtime, job.row)
  if (!domain) throw new JobError('The domain no longer exists.', true)
  const redirects = pendingRedirects(host.runtime.store.db, domain.id)
  const settle = await apply(host, job, { needsHome: domain.status !== 'deleting' })
  return (ctx) => {
    settle?.(ctx)
    setDomain(ctx, domain.id, { applied: siteValues(domain) })
    settleRedirects(ctx, redirects)
  }
}

/** The values that the host had last, unless a later job is to bring others. */
function putBack(runtime: Runtime, job: JobRow): void {
  const domain = domainOf(runtime, job)
  if (!domain || isFollowed(runtime, job)) return
  setDomain(runtime, domain.id, domain.applied)
  putBackRedirects(runtime.store, domain.id)
}

/** The domain has left its account's desired state, so the host removes it. */
async function remove(host: Host, job: RunningJob): Promise<Settle> {
  const settle = await apply(host, job)
  return (ctx) => {
    settle?.(ctx)
    removeDomain(ctx, job.row.object_id!)
  }
}

/** A domain that never came to be must not hold its name. */
function forget(runtime: Runtime, job: JobRow): void {
  const domain = domainOf(runtime, job)
  if (!domain) return
  for (const { undone } of domainParts(runtime)) undone?.(runtime, domain)
  removeDomain(runtime.store, domain.id)
}

/** Kinds that bring one domain in line with the store. */
export function domainJobs(host: Host): JobKind[] {
  const { runtime } = host
  const exists = (job: JobRow) => domainOf(runtime, job) !== undefined
  return [
    {
      kind: 'domain.create',
      steps: applySteps,
      exists,
      run: (job) => create(host, job),
      async undo(job, signal) {
        await runtime.store.change(() => forget(runtime, job))
        await reapplyAccount(host, job, signal)
      },
      failed: (_ctx, job) => forget(runtime, job),
    },
    {
      kind: 'domain.update',
      steps: applySteps,
      exists,
      run: (job) => update(host, job),
      async undo(job, signal) {
        await runtime.store.change(() => putBack(runtime, job))
        await reapplyAccount(host, job, signal)
      },
      failed: (_ctx, job) => putBack(runtime, job),
    },
    { kind: 'domain.delete', steps: applySteps, maxAttempts: 5, exists, run: (job) => remove(host, job) },
  ]
}
