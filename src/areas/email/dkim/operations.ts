import type * as declared from '../../../contract/email.ts'
import { Problem } from '../../../contract/problem.ts'
import { turnOfCaller } from '../../../runtime/jobs/shares.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import type { RsaKey } from '../../../runtime/security/rsa-keys.ts'
import { refuseBeingDeleted } from '../../domains/busy.ts'
import { currentView, type MailDomainContext } from '../domains/operations.ts'
import { setEmailDomain } from '../domains/store.ts'
import { keepKey } from './keys.ts'
import { publish, withdraw } from './records.ts'
import { currentKey, keysOfDomain, setKey } from './store.ts'

/** Including former ones, each of which keeps a record in the zone for a while. */
const MAX_KEYS = 10

const carryKeys = (ctx: MailDomainContext, kind: string): string =>
  ctx.enqueue({ kind, account: ctx.found.account, object_id: ctx.found.mail.domain.id, areas: ['mail', 'dns'] })

const setDkim: Handler<typeof declared.setDkim, RsaKey | undefined> = {
  prepare: async (ctx, { body: { enabled } }) =>
    enabled && !currentKey(ctx.db, ctx.found.mail.domain.id) ? ctx.runtime.rsaKeys.make(turnOfCaller(ctx)) : undefined,
  handle(ctx, { body: { enabled } }, made) {
    const { account, mail } = ctx.found
    const { domain } = mail
    refuseBeingDeleted(domain)
    setEmailDomain(ctx, domain.id, { dkim: enabled })
    if (enabled && made && !currentKey(ctx.db, domain.id)) keepKey(ctx, domain, made)
    const keys = keysOfDomain(ctx.db, domain.id)
    if (enabled) publish(ctx, account, domain, keys, { isReported: true })
    else withdraw(ctx, account, domain, keys)
    ctx.note({ account, object_id: domain.id, before: { dkim: mail.row.dkim }, after: { dkim: enabled } })
    return { domain: currentView(ctx), job_id: carryKeys(ctx, 'email.dkim.update') }
  },
}

/** Signs with a new key from now on; signatures by the former one stay verifiable for a while. */
const rotateDkim: Handler<typeof declared.rotateDkim, RsaKey | undefined> = {
  prepare: async (ctx) => (ctx.found.mail.row.dkim ? ctx.runtime.rsaKeys.make(turnOfCaller(ctx)) : undefined),
  handle(ctx, _input, made) {
    const { account, mail } = ctx.found
    const { domain } = mail
    refuseBeingDeleted(domain)
    if (!mail.row.dkim || !made)
      throw new Problem('not-configured', `Mail of ${domain.name} is not signed; switch DKIM on first.`)
    if (keysOfDomain(ctx.db, domain.id).length >= MAX_KEYS)
      throw new Problem('too-many', `${domain.name} has had ${MAX_KEYS} keys in a week; wait until some have gone.`)
    const former = currentKey(ctx.db, domain.id)
    if (former) setKey(ctx, former.id, { retired_at: ctx.now })
    const key = keepKey(ctx, domain, made)
    publish(ctx, account, domain, [key], { isReported: true })
    ctx.note({ account, object_id: domain.id })
    return { domain: currentView(ctx), job_id: carryKeys(ctx, 'email.dkim.rotate') }
  },
}

export const dkimOperations = { setDkim, rotateDkim }
