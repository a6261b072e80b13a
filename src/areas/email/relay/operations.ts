import { eq } from 'drizzle-orm'
import type * as declared from '../../../contract/email.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { refuseBeingDeleted } from '../../domains/busy.ts'
import { isVerified } from '../../domains/verification/store.ts'
import { refuseHalf } from '../../relays/sign-in.ts'
import { purpose, relayOfDomainItself } from '../../relays/store.ts'
import { ownAddresses, urlProblem } from '../../webhooks/url.ts'
import { currentView, type MailDomainContext } from '../domains/operations.ts'
import { type DomainRelayRow, domainRelays } from '../tables.ts'
import { foundRelay, relayOf, toDomainRelay } from './store.ts'

const getDomainRelay: Handler<typeof declared.getDomainRelay> = {
  handle: ({ db, found: { mail } }) => toDomainRelay(mail.domain, foundRelay(db, mail.domain.id)),
}

/** What a name alone tells; its addresses are checked by the job, and hourly. */
function refuseHost({ runtime }: MailDomainContext, host: string): void {
  const problem = urlProblem(`https://${host}/`, 'public', ownAddresses(runtime))
  if (problem) throw invalid('host', problem)
  if (host === runtime.hostname.toLowerCase()) throw invalid('host', 'must not be this server')
}

function refuseDomain({ db, found: { mail } }: MailDomainContext): void {
  const { domain } = mail
  refuseBeingDeleted(domain)
  if (!isVerified(db, domain)) throw new Problem('not-configured', `${domain.name} is not verified yet.`)
  if (relayOfDomainItself(db, domain.id))
    throw new Problem('exists', `The provider has set an SMTP relay for ${domain.name}.`)
}

/** Mail that waits is tried again at once, and leaves as the change says. */
function accepted(ctx: MailDomainContext, before: DomainRelayRow | undefined) {
  const { account, mail } = ctx.found
  const { id } = mail.domain
  const after = relayOf(ctx.db, id)
  const view = (row: DomainRelayRow) => toDomainRelay(mail.domain, row)
  ctx.note({ account, object_id: id, ...(before && { before: view(before) }), ...(after && { after: view(after) }) })
  const payload = { relay: 'changed' }
  const job_id = ctx.enqueue({ kind: 'email.domain.update', account, object_id: id, areas: ['mail'], payload })
  return { domain: currentView(ctx), job_id }
}

const setDomainRelay: Handler<typeof declared.setDomainRelay> = {
  handle(ctx, { body }) {
    const { host, port, tls, username, password } = body
    const { domain } = ctx.found.mail
    refuseHalf(username, password)
    refuseHost(ctx, host)
    refuseDomain(ctx)
    const before = relayOf(ctx.db, domain.id)
    const row: DomainRelayRow = {
      ...{ domain_id: domain.id, account_id: domain.account_id, host, port, tls, username: username ?? null },
      password: password === undefined ? null : ctx.runtime.seal(purpose, password),
      ...{ checked_at: null, refused_since: null, created_at: before?.created_at ?? ctx.now, updated_at: ctx.now },
    }
    ctx.db.insert(domainRelays).values(row).onConflictDoUpdate({ target: domainRelays.domain_id, set: row }).run()
    return accepted(ctx, before)
  },
}

const deleteDomainRelay: Handler<typeof declared.deleteDomainRelay> = {
  handle(ctx) {
    const { db, found } = ctx
    const before = foundRelay(db, found.mail.domain.id)
    db.delete(domainRelays).where(eq(domainRelays.domain_id, found.mail.domain.id)).run()
    return accepted(ctx, before)
  },
}

export const domainRelayOperations = { getDomainRelay, setDomainRelay, deleteDomainRelay }
