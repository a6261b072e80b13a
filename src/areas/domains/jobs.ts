import { HostError } from '../../host/contract/driver.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/jobs/job-kind.ts'
import { isFollowed } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { type Host, reapplyAccount } from '../accounts/jobs/apply.ts'
import { apply, applySteps } from '../accounts/jobs/index.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { domainParts } from './part.ts'
import { pendingRedirects, putBackRedirects, settleRedirects } from './redirects.ts'
import { domainById, removeDomain, setDomain } from './store.ts'
import { type DomainRow, type SiteValues, siteValues } from './tables.ts'

const domainOf = ({ store }: Runtime, { object_id }: JobRow): DomainRow | undefined => domainById(store.db, object_id!)

/** What `.htaccess` sets for PHP comes and goes with Apache; the next check of a running Apache corrects what failed. */
async function passOnPhpSettings({ runtime, client }: Host, domain: DomainRow, signal: AbortSignal): Promise<void> {
  const former = siteValues(domain.applied)
  const places = [
    ...(former.handler === 'apache' && !isSameSite(former, domain) ? [{ ...former, apply: false }] : []),
    ...(domain.handler === 'apache' ? [{ ...domain, apply: true }] : []),
  ]
  const account = accountById(runtime.store.db, domain.account_id)
  if (!account) return
  for (const { document_root, apply } of places)
    await client
      .files(hostNameOf(account))
      .act('userIni', { root: Buffer.from(document_root!).toString('base64'), apply }, { signal })
      .catch((error: unknown) =>
        runtime.log.warn({ err: error, domain: domain.name }, '.user.ini could not be written'),
      )
}

const isSameSite = (one: SiteValues, other: SiteValues): boolean =>
  one.handler === other.handler && one.document_root === other.document_root

/** Applies the account; an error in the domain's part of the home fails the job. */
async function create(host: Host, job: RunningJob): Promise<Settle> {
  const domain = domainOf(host.runtime, job.row)
  if (!domain) throw new JobError('The domain no longer exists.', true)
  const settle = await apply(host, job, { needsHome: true })
  await passOnPhpSettings(host, domain, job.signal)
  return (ctx) => {
    settle?.(ctx)
    if (domainOf(host.runtime, job.row)?.status === 'provisioning') setDomain(ctx, domain.id, { status: 'active' })
  }
}

/** Records what the host has afterwards, so that a failed later change can be undone. */
async function update(host: Host, job: RunningJob): Promise<Settle> {
  const domain = domainOf(host.runtime, job.row)
  if (!domain) throw new JobError('The domain no longer exists.', true)
  const redirects = pendingRedirects(host.runtime.store.db, domain.id)
  const settle = await apply(host, job, { needsHome: domain.status !== 'deleting' }).catch((error: unknown) => {
    throw isRefusedInclude(error, domain) ? new JobError(error.message, true) : error
  })
  await passOnPhpSettings(host, domain, job.signal)
  return (ctx) => {
    settle?.(ctx)
    setDomain(ctx, domain.id, { applied: siteValues(domain) })
    settleRedirects(ctx, redirects)
  }
}

/** nginx would refuse the same text again. */
const isRefusedInclude = (error: unknown, { rules, applied }: DomainRow): error is HostError =>
  error instanceof HostError &&
  error.stage === 'validate' &&
  rules.nginx_include !== undefined &&
  rules.nginx_include !== siteValues(applied).rules.nginx_include

/** Restores the values last applied, unless a later job will apply others. */
function putBack(runtime: Runtime, job: JobRow): void {
  const domain = domainOf(runtime, job)
  if (!domain || isFollowed(runtime, job)) return
  setDomain(runtime, domain.id, domain.applied)
  putBackRedirects(runtime.store, domain.id)
}

/** The domain is no longer in the desired state, so the host removes it. */
async function remove(host: Host, job: RunningJob): Promise<Settle> {
  const settle = await apply(host, job)
  return (ctx) => {
    settle?.(ctx)
    removeDomain(ctx, job.row.object_id!)
  }
}

/** A domain whose creation failed must not keep its name. */
function forget(runtime: Runtime, job: JobRow): void {
  const domain = domainOf(runtime, job)
  if (!domain) return
  for (const { undone } of domainParts(runtime)) undone?.(runtime, domain)
  removeDomain(runtime.store, domain.id)
}

/** Kinds that apply one domain. */
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
