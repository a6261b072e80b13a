import { invalid, Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/ssl.ts'
import type { AccountName } from '../../runtime/events/emission.ts'
import { unfinishedJob } from '../../runtime/jobs/queue.ts'
import type { Context, NewJob } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { refuseBeingDeleted } from '../domains/busy.ts'
import { toDomain } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { challengeProblem } from './acme/challenge-error.ts'
import type { Challenge } from './acme/order.ts'
import { autosslOf } from './autossl.ts'
import type { NewKeyType } from './key.ts'
import { namesToSecure } from './names.ts'
import { domainOf } from './of-domain.ts'
import { directoryOf } from './settings.ts'

/** What to order; by default for the served names. */
export interface Wish {
  readonly names: readonly string[] | undefined
  readonly challenge: Challenge
  readonly key_type: NewKeyType
}

/** The job that orders a certificate: beside the account's other jobs, once the domain is active. */
export const issueJob = (account: AccountName, domain: DomainRow, { names, challenge, key_type }: Wish): NewJob => ({
  kind: 'ssl.issue',
  account,
  object_id: domain.id,
  lane: domain.status === 'provisioning' ? account.id : `ssl:${domain.id}`,
  payload: { challenge, key_type, ...(names ? { names: names.join() } : {}) },
})

export const issueCertificate: Handler<typeof declared.issueCertificate> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const domain = domainOf(ctx, account, body.domain_id)
    const names = body.names && namesToSecure(ctx, domain, body.names)
    const challenge = body.challenge ?? challengeFor(ctx, domain, names)
    const problem = challengeProblem(ctx.db, account.id, challenge, names ?? [domain.name])
    if (problem) throw invalid('challenge', problem)
    refuseNow(ctx, domain)
    const wish = { names, challenge, key_type: body.key_type ?? 'ec-p256' }
    ctx.note({ account, object_id: domain.id, after: { ...wish, domain: domain.name } })
    const job_id = ctx.enqueue(issueJob(account, domain, wish))
    return { domain: toDomain(ctx, domain), job_id }
  },
}

const challengeFor = ({ db }: Context, domain: DomainRow, names: readonly string[] = []): Challenge =>
  names.some((name) => name.startsWith('*.')) ? 'dns-01' : autosslOf(db, domain).challenge

function refuseNow({ db, runtime }: Context, domain: DomainRow): void {
  refuseBeingDeleted(domain)
  if (directoryOf(db) === undefined)
    throw new Problem(
      'not-configured',
      'This server has no certificate authority; root can set one (setting acme_directory_url).',
    )
  if (unfinishedJob(runtime, domain.account_id, 'ssl.issue', domain.id))
    throw new Problem('busy', `A certificate for ${domain.name} is being issued already.`)
}
