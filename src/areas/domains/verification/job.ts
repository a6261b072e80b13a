import type { Lookups } from '../../../outgoing/lookups.ts'
import { recordEvent } from '../../../runtime/events/emit.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import { applyAccount, type Host } from '../../accounts/jobs/apply.ts'
import { accountById } from '../../accounts/store.ts'
import { domainById } from '../store.ts'
import type { DomainRow } from '../tables.ts'
import { settleLook, type VerificationContext } from './change.ts'
import { type LookOutcome, lookAt } from './look.ts'
import { isVerified, verifiedBy } from './store.ts'
import { subjectOfDomain } from './subject.ts'

/** Changes of a running job, in the name of who asked for it. */
const jobChanges = (runtime: Runtime, job: JobRow): VerificationContext => ({
  runtime,
  store: runtime.store,
  db: runtime.store.db,
  now: runtime.clock.now(),
  emit: (event) => recordEvent(runtime, event, { type: job.actor_type, id: job.actor_id }, job.via, job.request_id).id,
})

/** What depends on whether a name is verified. */
const areas = ['php', 'mail', 'tls', 'web'] as const

export async function applyVerification(host: Host, job: RunningJob): Promise<void> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (account && !account.terminating) await applyAccount(host, account, job, { areas, beside: true })
}

/** Logs what a look found. */
export function logOutcome(job: RunningJob, { found, by, reason }: LookOutcome): void {
  job.log(`Name servers: ${found.ns.join(', ') || 'none'}`)
  job.log(`Mail servers: ${found.mx.join(', ') || 'none'}`)
  job.log(`Addresses: ${found.addresses.join(', ') || 'none'}`)
  if (!by) job.log(reason, 'warn')
}

async function look(host: Host, lookups: Lookups, job: RunningJob, domain: DomainRow): Promise<boolean> {
  const { runtime } = host
  const outcome = await lookAt(lookups, runtime.clock, subjectOfDomain(runtime, domain), job.signal)
  logOutcome(job, outcome)
  job.signal.throwIfAborted()
  return runtime.store.change(() => {
    const current = domainById(runtime.store.db, domain.id)
    return (
      current?.name === domain.name && settleLook(jobChanges(runtime, job.row) as VerificationContext, current, outcome)
    )
  })
}

/** The verified domain above decides about a subdomain. */
const subjectDomain = (host: Host, { object_id }: JobRow): DomainRow | undefined => {
  const { db } = host.runtime.store
  const domain = domainById(db, object_id!)
  return domain?.kind === 'sub' ? domainById(db, domain.parent_id!) : domain
}

async function verify(host: Host, lookups: Lookups, job: RunningJob): Promise<Settle | undefined> {
  const domain = subjectDomain(host, job.row)
  if (!domain) throw new JobError('The domain no longer exists.', true)
  const { db } = host.runtime.store
  job.step('check')
  const isApply = job.row.payload['purpose'] === 'apply'
  const isChanged = isApply || (!isVerified(db, domain) && (await look(host, lookups, job, domain)))
  const by = verifiedBy(db, domain)
  job.log(by ? `${domain.name} is verified: ${by}.` : `${domain.name} is not verified.`)
  job.step('apply')
  if (isChanged) await applyVerification(host, job)
  return undefined
}

/** Looks at a domain, or has the host follow what a look or root decided. */
export const verifyKind = (host: Host, lookups: Lookups): JobKind => ({
  kind: 'domain.verify',
  steps: ['check', 'apply'],
  maxAttempts: 1,
  emits: ['domain.verified'],
  exists: (job) => domainById(host.runtime.store.db, job.object_id!) !== undefined,
  run: (job) => verify(host, lookups, job),
})
