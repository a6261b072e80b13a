import type * as declared from '../../../contract/email.ts'
import { Problem } from '../../../contract/problem.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { refuseBeingDeleted } from '../../domains/busy.ts'
import { mailLabelsOf } from '../../domains/mail-names.ts'
import { isVerified, verificationOf } from '../../domains/verification/store.ts'
import { currentView, type MailDomainContext } from '../domains/operations.ts'
import { exchangersOf, takesMail } from '../domains/routing.ts'
import type { MtaStsRow } from '../tables.ts'
import {
  addMtaSts,
  maxAgeOf,
  mtaStsOf,
  nextPolicyId,
  policyAreas,
  setMtaStsRow,
  toMtaSts,
  unprovenNames,
} from './policy.ts'
import { publishPolicy } from './records.ts'

const getMtaSts: Handler<typeof declared.getMtaSts> = {
  handle: (ctx) => toMtaSts(ctx.runtime, ctx.db, ctx.found.mail.domain),
}

const unready = (sentence: string): Problem => new Problem('not-configured', sentence)

/** A policy is for mail that arrives here. */
function refuseElsewhere({ db, runtime, found: { mail } }: MailDomainContext): void {
  const { domain } = mail
  if (!isVerified(db, domain)) throw unready(`${domain.name} is not verified yet.`)
  if (!takesMail(db, domain, runtime.hostname)) throw unready(`Mail of ${domain.name} is not kept here.`)
}

/** With `enforce`, senders that cannot prove a mail server keep the mail back. */
function refuseUnproven({ db, runtime, found: { mail } }: MailDomainContext): void {
  const { domain } = mail
  if (verificationOf(db, domain)?.is_delegated === false)
    throw unready(`Other name servers publish ${domain.name}, so its mail servers are not known for certain.`)
  const unproven = unprovenNames(runtime, db, domain)
  if (unproven.length > 0)
    throw unready(
      `No certificate of a mail domain here proves ${unproven.join(', ')}. Set testing first; certificates follow within the hour.`,
    )
}

function nextPolicy(ctx: MailDomainContext, mode: MtaStsRow['mode'], former: MtaStsRow | undefined): MtaStsRow {
  const { domain } = ctx.found.mail
  const policy_id = nextPolicyId(former?.policy_id ?? 0, ctx.now)
  return {
    ...{ domain_id: domain.id, account_id: domain.account_id, mode, policy_id, is_stale: false },
    mx: exchangersOf(ctx.db, domain),
    ends_at: mode === 'none' ? ctx.now + 1000 * maxAgeOf(former?.mode ?? 'none') : null,
    created_at: former?.created_at ?? ctx.now,
  }
}

function write(ctx: MailDomainContext, mode: MtaStsRow['mode']): void {
  const { account, mail } = ctx.found
  const former = mtaStsOf(ctx.db, mail.domain.id)
  if ((former?.mode ?? 'none') === mode) return
  const row = nextPolicy(ctx, mode, former)
  if (former) setMtaStsRow(ctx, mail.domain.id, row)
  else addMtaSts(ctx, row)
  publishPolicy(ctx, account, mail.domain, row)
  // A refusal undoes all of this: whether the name is free shows only with the policy.
  if (!mailLabelsOf(ctx.runtime, ctx.db, mail.domain).includes('mta-sts'))
    throw unready(`mta-sts.${mail.domain.name} is a domain by itself.`)
}

const setMtaSts: Handler<typeof declared.setMtaSts> = {
  handle(ctx, { body: { mode } }) {
    const { account, mail } = ctx.found
    refuseBeingDeleted(mail.domain)
    const before = mtaStsOf(ctx.db, mail.domain.id)?.mode ?? 'none'
    if (mode !== 'none') refuseElsewhere(ctx)
    if (mode === 'enforce') refuseUnproven(ctx)
    write(ctx, mode)
    ctx.note({ account, object_id: mail.domain.id, before: { mta_sts: before }, after: { mta_sts: mode } })
    const job = { kind: 'email.domain.update', account, object_id: mail.domain.id, areas: policyAreas }
    const job_id = ctx.enqueue(job)
    return { domain: currentView(ctx), job_id }
  },
}

export const mtaStsOperations = { getMtaSts, setMtaSts }
