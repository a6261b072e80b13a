import { and, eq, inArray } from 'drizzle-orm'
import type { Lookups } from '../../../outgoing/lookups.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import { domainParts } from '../part.ts'
import { domainById, mainDomainOf, setDomain } from '../store.ts'
import { type DomainRow, domains } from '../tables.ts'
import { lookAt } from './look.ts'
import { holdersOf, unclaimableReason } from './operations.ts'
import { CLAIM_LIMIT_MS } from './schedule.ts'
import { isVerified, noteLost, reserveFor } from './store.ts'
import { subjectOf } from './subject.ts'

async function claim(runtime: Runtime, lookups: Lookups, job: RunningJob): Promise<Settle> {
  const account_id = job.row.account_id!
  const name = job.row.payload['name']!
  job.step('check')
  const subject = { ...subjectOf(runtime, { name, account_id }), challengeOnly: true }
  const { by } = await lookAt(lookups, runtime.clock, subject, job.signal)
  job.signal.throwIfAborted()
  if (by !== 'txt')
    throw new JobError(`The TXT record ${subject.challengeNames[0]} with ${subject.challenge} was not found.`, true)
  const holders = holdersOf(runtime.store, name, account_id)
  const reason = unclaimableReason(runtime.store, name, holders)
  if (reason) throw new JobError(`${reason}.`, true)
  job.log(`${name} is reserved for this account for an hour; add it now.`)
  if (claimable(holders).length > MAX_CLAIMED_DOMAINS) job.log('Too many domains are below it: claim it again first.')
  return (ctx) => take(ctx, name, account_id)
}

/** In one change: further ones are taken by the next claim, since none can be added. Subdomains are not counted. */
const MAX_CLAIMED_DOMAINS = 100

/** Subdomains go with the domain above. */
const claimable = (holders: readonly DomainRow[]): DomainRow[] =>
  holders.filter(({ kind, status }) => kind !== 'sub' && status !== 'deleting')

/** A holder may have been verified in the meantime: then nothing changes. */
function take(ctx: Context, name: string, account: string): void {
  const holders = holdersOf(ctx, name, account)
  if (unclaimableReason(ctx, name, holders)) return
  for (const { id } of claimable(holders).slice(0, MAX_CLAIMED_DOMAINS)) {
    const holder = domainById(ctx.db, id)!
    if (holder.status !== 'deleting') removeAll(ctx, holder)
  }
  reserveFor(ctx, name, account, ctx.now + CLAIM_LIMIT_MS)
}

/** Verified alias domains stay with their account, and show its main domain's site. */
function removeAll(ctx: Context, holder: DomainRow): void {
  const isOwn = (domain: DomainRow) => domain.kind === 'parked' && isVerified(ctx.db, domain)
  const { id: parent_id } = mainDomainOf(ctx.db, holder.account_id)
  for (const domain of dependents(ctx, holder))
    if (isOwn(domain)) setDomain(ctx, domain.id, { parent_id, updated_at: ctx.now })
    else removeFrom(ctx, domain)
  removeFrom(ctx, holder)
}

const dependents = ({ db }: Context, { id }: DomainRow): DomainRow[] =>
  db
    .select()
    .from(domains)
    .where(and(eq(domains.parent_id, id), inArray(domains.status, ['provisioning', 'active'])))
    .all()

/** As by its deletion, whatever it has. */
function removeFrom(ctx: Context, domain: DomainRow): void {
  const account = nameOf(accountById(ctx.db, domain.account_id)!)
  setDomain(ctx, domain.id, { status: 'deleting', updated_at: ctx.now })
  const parts = domainParts(ctx.runtime).reverse()
  for (const { emptied } of parts) emptied?.(ctx, domain)
  for (const { deleted } of parts) deleted?.(ctx, domain)
  ctx.emit({ type: 'domain.deleted', account, object_id: domain.id, details: { domain: domain.name } })
  ctx.enqueue({ kind: 'domain.delete', account, object_id: domain.id })
  noteLost(ctx, domain)
}

/** Takes a name from an account that has not shown that it is its own. */
export const claimKind = (runtime: Runtime, lookups: Lookups): JobKind => ({
  kind: 'domain.claim',
  steps: ['check'],
  maxAttempts: 1,
  emits: ['ssl.uninstalled', 'dns.zone.deleted', 'dns.record.deleted', 'domain.deleted'],
  run: (job) => claim(runtime, lookups, job),
})
