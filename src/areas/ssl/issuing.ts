import { eq } from 'drizzle-orm'
import type { HostArea } from '../../host/contract/driver.ts'
import type { Lookups } from '../../outgoing/lookups.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/jobs/job-kind.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { type JobRow, jobs } from '../../runtime/tables.ts'
import { applyAccount, type Host, reapplyAccount } from '../accounts/jobs/apply.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { noteApplied } from '../dns/jobs.ts'
import { domainById } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { verifyByCertificate } from '../domains/verification/change.ts'
import { answer, takeBack } from './acme/challenges.ts'
import { AcmeError } from './acme/error.ts'
import { sentenceOf } from './acme/failure.ts'
import type { Challenge } from './acme/order.ts'
import { giveUp, type Issued, settle, use } from './activate.ts'
import { noteFailed, noteIssued, noteWait } from './autossl.ts'
import { covers } from './certificate.ts'
import type { NewKeyType } from './key.ts'
import { localMailNames } from './mail-names.ts'
import { obtain } from './obtain.ts'
import { usedBy } from './store.ts'
import type { CertificateRow } from './tables.ts'

const emits = ['ssl.installed', 'domain.verified'] as const

const domainOf = ({ runtime }: Host, { object_id }: JobRow): DomainRow | undefined =>
  domainById(runtime.store.db, object_id!)

const challengeOf = ({ payload }: JobRow): Challenge => payload['challenge'] as Challenge

/** The host areas of an order: where its challenge responses are, and its certificate. */
const areasOf = (job: JobRow): HostArea[] => [
  'tls',
  'web',
  ...(challengeOf(job) === 'dns-01' ? (['dns'] as const) : []),
]

async function apply(host: Host, job: RunningJob) {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  return applyAccount(host, account, job, { areas: areasOf(job.row), beside: true })
}

/** The domain; throws if it is no longer wanted. */
function requested(host: Host, job: JobRow): DomainRow {
  const domain = domainOf(host, job)
  if (!domain || domain.status === 'deleting') throw new JobError('The domain no longer exists.', true)
  return domain
}

/** Cleans up after an interrupted attempt first. */
async function issue(host: Host, lookups: Lookups, job: RunningJob): Promise<Settle | undefined> {
  const { runtime } = host
  if (await runtime.store.change(() => takeAllBack(host, job.row))) await apply(host, job)
  job.step('order')
  const issued = await order(host, lookups, job)
  job.step('install')
  const taken = await runtime.store.change(() => take(host, job, issued))
  const state = await apply(host, job)
  return (ctx) => {
    if (state && challengeOf(job.row) === 'dns-01') noteApplied(ctx, state)
    noteIssued(ctx, job.row.object_id!)
    if (!taken) return
    settle(ctx, taken)
    emitInstalled(ctx, taken)
    const domain = domainOf(host, job.row)
    if (domain) verifyByCertificate(ctx, domain)
  }
}

async function order(host: Host, lookups: Lookups, job: RunningJob): Promise<Issued> {
  const { runtime } = host
  const { payload } = job.row
  const challenge = challengeOf(job.row)
  try {
    const domain = requested(host, job.row)
    return await obtain(runtime, job, {
      domain,
      names: payload['names']?.split(','),
      mailNames: payload['names'] === undefined ? await localMailNames(runtime, lookups, domain) : [],
      challenge: challenge,
      key_type: payload['key_type'] as NewKeyType,
      async publish(proofs) {
        job.step('prove')
        await runtime.store.change(() => {
          takeBack(runtime, job.row.object_id!)
          answer(runtime, requested(host, job.row), challenge, proofs)
        })
        await apply(host, job)
      },
    })
  } catch (error) {
    await noteRateLimit(host, job.row, error)
    throw job.signal.aborted ? error : (sentenceOf(error) ?? error)
  }
}

async function noteRateLimit({ runtime }: Host, { object_id }: JobRow, error: unknown): Promise<void> {
  const waitMs = error instanceof AcmeError ? error.retryAfterMs : undefined
  if (waitMs === undefined) return
  const { db, change } = runtime.store
  await change(() => noteWait({ db, now: runtime.clock.now() }, object_id!, waitMs))
}

/**
 * Removes the challenge responses once the certificate has arrived. A manually installed one stays: AutoSSL only
 * replaces its own.
 */
function take(host: Host, { row: job, log }: RunningJob, issued: Issued): CertificateRow | undefined {
  const { runtime } = host
  const domain = requested(host, job)
  if (!covers(issued.chain[0].names, domain.name))
    throw new JobError(`The domain was renamed during the order; the certificate does not cover ${domain.name}.`, true)
  takeBack(runtime, domain.id)
  const isOverruled = job.actor_type === 'system' && usedBy(runtime.store.db, domain)?.kind === 'custom'
  if (!isOverruled) return use(runtime, domain, issued)
  log('Another certificate was installed during the order; it stays.')
  return undefined
}

function emitInstalled(ctx: Context, { id: object_id, account_id, domains, not_after }: CertificateRow): void {
  const account = accountById(ctx.db, account_id)
  if (account) ctx.emit({ type: 'ssl.installed', account: nameOf(account), object_id, details: { domains, not_after } })
}

/** Removes challenge responses and a certificate not yet applied; returns whether there was any. */
function takeAllBack(host: Host, { object_id }: JobRow): boolean {
  const { runtime } = host
  const { db } = runtime.store
  const used = usedBy(db, { id: object_id! })
  const isHalf = used?.kind === 'acme' && !used.applied
  if (isHalf) giveUp(db, used.id)
  return takeBack(runtime, object_id!) || isHalf
}

/** Terminating an account removes its challenge responses from the host anyway. */
async function undo(host: Host, row: JobRow, signal: AbortSignal): Promise<void> {
  const { runtime } = host
  const isChanged = await runtime.store.change(() => takeAllBack(host, row))
  const account = accountById(runtime.store.db, row.account_id!)
  if (!isChanged || !account || account.terminating) return
  const state = await reapplyAccount(host, row, signal, { areas: areasOf(row), beside: true })
  if (state && challengeOf(row) === 'dns-01') await runtime.store.change(() => noteApplied(runtime, state))
}

function failed(host: Host, ctx: Context, row: JobRow): void {
  takeAllBack(host, row)
  const { error } = ctx.db.select({ error: jobs.error }).from(jobs).where(eq(jobs.id, row.id)).get()!
  if (domainOf(host, row)) noteFailed(ctx, row.object_id!, error ?? '')
}

/** Orders a certificate for a domain; one attempt only, since AutoSSL has its own retries. */
export const issueKind = (host: Host, lookups: Lookups): JobKind => ({
  kind: 'ssl.issue',
  failure: 'reported',
  steps: ['order', 'prove', 'install'],
  maxAttempts: 1,
  emits,
  exists: (job) => domainOf(host, job) !== undefined,
  run: (job) => issue(host, lookups, job),
  undo: (job, signal) => undo(host, job, signal),
  failed: (ctx, job) => failed(host, ctx, job),
})
