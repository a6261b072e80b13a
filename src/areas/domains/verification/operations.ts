import type * as declared from '../../../contract/domains.ts'
import { invalid, notFound, Problem } from '../../../contract/problem.ts'
import { unfinishedJob, unfinishedJobs } from '../../../runtime/jobs/queue.ts'
import type { AccountName, Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import type { Db } from '../../../store/open.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import { refuseBeingDeleted } from '../busy.ts'
import { refuseWithoutFeature } from '../kinds.ts'
import { asciiName, domainNameProblem, domainsWithin } from '../names.ts'
import type { OfDomain } from '../part.ts'
import { domainById, toDomain } from '../store.ts'
import type { DomainRow } from '../tables.ts'
import { challengeRecord } from './challenge.ts'
import { unverify, verify, verifyJob } from './change.ts'
import { noteContested } from './contested.ts'
import { isVerified } from './store.ts'

export const verifyDomain: Handler<typeof declared.verifyDomain> = {
  handle(ctx) {
    const { account, domain } = ctx.found
    refuseBeingDeleted(domain)
    ctx.note({ account, object_id: domain.id })
    const unfinished = unfinishedJob(ctx.runtime, account.id, 'domain.verify', domain.id)
    return accepted(ctx, unfinished?.id ?? start(ctx, 'look'))
  },
}

/** Root decides, whatever the DNS says. */
export const setDomainVerified: Handler<typeof declared.setDomainVerified> = {
  handle(ctx, { body: { verified } }) {
    const { account, domain } = ctx.found
    if (domain.kind === 'sub') throw invalid('verified', 'is that of the domain above; set it there')
    refuseBeingDeleted(domain)
    const before = isVerified(ctx.db, domain)
    if (verified) verify(ctx, domain, 'root')
    else if (before) unverify(ctx, domain, 'Root withdrew the verification.')
    ctx.note({ account, object_id: domain.id, before: { verified: before }, after: { verified } })
    return accepted(ctx, start(ctx, 'apply'))
  },
}

function start(ctx: Context & OfDomain, purpose: 'look' | 'apply'): string {
  const { account, domain } = ctx.found
  const { provisioned } = accountById(ctx.db, account.id)!
  return ctx.enqueue(verifyJob(nameOf(accountById(ctx.db, account.id)!), domain, purpose, provisioned))
}

const accepted = (ctx: Context & OfDomain, job_id: string) => ({
  domain: toDomain(ctx, domainById(ctx.db, ctx.found.domain.id)!),
  job_id,
})

/** The response does not say who holds the name. */
export const claimDomain: Handler<typeof declared.claimDomain, void> = {
  async prepare(ctx, { body }) {
    const { account } = ctx.found
    const name = asciiName(body.name)
    const holders = name === undefined ? [] : holdersOf(ctx, name, account.id)
    const main = holders.find((holder) => holder.kind === 'main' && !isVerified(ctx.db, holder))
    if (main && !ctx.dryRun) await noteContested(ctx, account.id, main)
  },
  handle(ctx, { body }) {
    const { account } = ctx.found
    const nameError = body.name.startsWith('*.') ? 'is a wildcard' : domainNameProblem(ctx, body.name)
    if (nameError) throw invalid('name', nameError)
    const name = asciiName(body.name)!
    refuseWithoutFeature(ctx, account.id, 'addon')
    refuseUnclaimable(ctx, account.id, name)
    ctx.note({ account, after: { name } })
    const unfinished = unfinishedJobs(ctx.runtime, account.id, 'domain.claim')
    const same = unfinished.find(({ payload }) => payload['name'] === name)
    const job_id = same?.id ?? startClaim(ctx, account, name)
    return { name, record: challengeRecord(ctx.db, account.id, name), job_id }
  },
}

function startClaim(ctx: Context, account: AccountName, name: string): string {
  const lane = `verify:${account.id}`
  return ctx.enqueue({ kind: 'domain.claim', account, object_id: account.id, lane, payload: { name } })
}

/** The domains that keep an account from adding a name: those of others with the name or names below it. */
export const holdersOf = (ctx: Pick<Context, 'db'>, name: string, account: string): DomainRow[] =>
  domainsWithin(ctx, name).filter(({ account_id }) => account_id !== account)

function refuseUnclaimable(ctx: Context, account: string, name: string): void {
  const isOwn = domainsWithin(ctx, name).some((domain) => domain.name === name && domain.account_id === account)
  if (isOwn) throw new Problem('in-use', `${name} is a domain of this account already.`)
  const holders = holdersOf(ctx, name, account)
  if (holders.length === 0) throw notFound('domain')
  const reason = unclaimableReason(ctx, name, holders)
  if (reason) throw new Problem('in-use', `${reason}.`)
}

/** Why a name cannot be claimed from its holders. */
export function unclaimableReason(
  { db }: Pick<Context, 'db'>,
  name: string,
  holders: readonly DomainRow[],
): string | undefined {
  const ids = new Set(holders.map(({ id }) => id))
  for (const holder of holders) {
    const reason = holder.kind === 'sub' && ids.has(holder.parent_id!) ? undefined : reasonOf(db, holder)
    if (reason) return `${holder.name === name ? name : `A domain below ${name}`} ${reason}`
  }
  return undefined
}

function reasonOf(db: Db, holder: DomainRow): string | undefined {
  if (holder.kind === 'sub') return 'is a subdomain; claim the domain above'
  if (isVerified(db, holder)) return 'is verified by its holder'
  return holder.kind === 'main' ? "is an account's main domain; ask the administrator" : undefined
}
