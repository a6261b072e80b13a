import type * as declared from '../../../contract/email.ts'
import type { Input } from '../../../contract/operation.ts'
import { invalid, notFound } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import type { FoundAccount } from '../../accounts/objects/find-account.ts'
import { refuseBeingDeleted } from '../../domains/busy.ts'
import { domainById, domainsOf } from '../../domains/store.ts'
import { requestLook } from '../../domains/verification/store.ts'
import { routesOf } from '../account-routes.ts'
import { type OwnAddress, ownAddress } from '../address.ts'
import { forwarderAt } from '../forwarders/store.ts'
import { mailboxAt } from '../mailboxes/store.ts'
import { cycleThrough } from '../routes.ts'
import { emailDomainById, setEmailDomain } from './store.ts'
import { type Mail, toEmailDomain } from './view.ts'

export type MailDomainContext = Context & { readonly found: { readonly account: FoundAccount; readonly mail: Mail } }

/** A domain's mail, or 404 `not-found`; wildcards have none. */
export function findMail(ctx: Context, account: string, id: string): Mail {
  const domain = domainsOf.find(ctx, account, id)
  const row = emailDomainById(ctx.db, id)
  if (!row) throw notFound('domain')
  return { domain, row }
}

/** The state after a change. */
export const currentView = (ctx: MailDomainContext) => {
  const { id } = ctx.found.mail.domain
  return toEmailDomain(ctx, { domain: domainById(ctx.db, id)!, row: emailDomainById(ctx.db, id)! })
}

const listEmailDomains: Handler<typeof declared.listEmailDomains> = {
  handle(ctx) {
    const all = domainsOf.all(ctx.db, ctx.found.account.id).flatMap((domain) => {
      const row = emailDomainById(ctx.db, domain.id)
      return row ? [{ domain, row }] : []
    })
    return { items: all.map((mail) => toEmailDomain(ctx, mail)) }
  },
}

const getEmailDomain: Handler<typeof declared.getEmailDomain> = { handle: (ctx) => toEmailDomain(ctx, ctx.found.mail) }

/** Enqueues the job that applies changes of a domain's mail. */
const carryDomain = (ctx: MailDomainContext, areas: readonly string[]): string =>
  ctx.enqueue({ kind: 'email.domain.update', account: ctx.found.account, object_id: ctx.found.mail.domain.id, areas })

const setMailRouting: Handler<typeof declared.setMailRouting> = {
  handle(ctx, { body: { routing } }) {
    const { account, mail } = ctx.found
    refuseBeingDeleted(mail.domain)
    setEmailDomain(ctx, mail.domain.id, { routing })
    const domain = currentView(ctx)
    setEmailDomain(ctx, mail.domain.id, { told_routing: domain.effective_routing })
    requestLook(ctx, mail.domain)
    ctx.note({ account, object_id: mail.domain.id, before: { routing: mail.row.routing }, after: { routing } })
    return { domain, job_id: carryDomain(ctx, ['mail', 'dns', 'web']) }
  },
}

type CatchAll = Input<typeof declared.setCatchAll>['body']

/** The catch-all address: one of the account's, so that mail does not leave the account unasked. */
function catchAllOf(ctx: MailDomainContext, { action, destination }: CatchAll): string | null {
  const { account, mail } = ctx.found
  if (action === 'reject' && destination !== undefined) throw invalid('destination', 'is only for forward')
  if (action === 'reject') return null
  if (destination === undefined) throw invalid('destination', 'is required for forward')
  const own = ownAddress(ctx, account.id, destination)
  if (typeof own === 'string' || !isThere(ctx, own))
    throw invalid('destination', 'must be a mailbox or a forwarder of the account')
  const address = `${own.local}@${own.domain.name}`
  const routes = routesOf(ctx.db, account.id, { catchAlls: new Map([[mail.domain.name, address]]) })
  const cycle = cycleThrough(routes, address)
  if (cycle) throw invalid('destination', `must not lead back to itself: ${cycle.join(' → ')}`)
  return address
}

function isThere({ db }: Context, { domain, local }: OwnAddress): boolean {
  const at = { domain_id: domain.id, local }
  return [mailboxAt(db, at), forwarderAt(db, at)].some((row) => row !== undefined && row.status !== 'deleting')
}

const setCatchAll: Handler<typeof declared.setCatchAll> = {
  handle(ctx, { body }) {
    const { account, mail } = ctx.found
    const catch_all = catchAllOf(ctx, body)
    refuseBeingDeleted(mail.domain)
    setEmailDomain(ctx, mail.domain.id, { catch_all })
    ctx.note({
      account,
      object_id: mail.domain.id,
      before: { catch_all: mail.row.catch_all },
      after: { catch_all },
    })
    return { domain: currentView(ctx), job_id: carryDomain(ctx, ['mail']) }
  },
}

export const emailDomainOperations = { listEmailDomains, getEmailDomain, setMailRouting, setCatchAll }
