import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { restoreWith } from '../../accounts/operations/restore-with.ts'
import type { FullAccount } from '../../accounts/store.ts'
import { namesOf } from '../../domains/renamed.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { routesOf } from '../account-routes.ts'
import { emailDomainById, emailDomainsOf, setEmailDomain } from '../domains/store.ts'
import { toEmailDomain } from '../domains/view.ts'
import { cycleThrough } from '../routes.ts'
import type { EmailDomainRow } from '../tables.ts'
import { addressNow, domainAt, type NameNow } from './at.ts'

export interface SavedMail extends Pick<EmailDomainRow, 'routing' | 'catch_all'> {
  readonly domain: string
}

export function savedDomains(db: Db, account: string): SavedMail[] {
  const names = namesOf(db, account)
  return emailDomainsOf(db, account).flatMap(({ domain_id, routing, catch_all }) => {
    const domain = names.get(domain_id)
    return domain === undefined ? [] : [{ domain, routing, catch_all }]
  })
}

interface RestoredMailDomain extends Pick<SavedMail, 'routing' | 'catch_all'> {
  readonly domain: DomainRow
}

/** Returns one sentence for each thing left out. */
export function restoreDomains(
  ctx: Context,
  account: FullAccount,
  all: readonly SavedMail[],
  nameNow: NameNow,
): readonly string[] {
  const now = all
    .map(({ domain, routing, catch_all }) => ({
      domain: domainAt(ctx, account.id, nameNow(domain)),
      routing,
      catch_all: catch_all && addressNow(nameNow, catch_all),
    }))
    .filter(({ domain }) => emailDomainById(ctx.db, domain.id))
  const routings = () => now.flatMap((one) => restoreRouting(ctx, one))
  const catchAlls = () => now.flatMap((one) => restoreCatchAll(ctx, account.id, one))
  return [
    ...restoreWith(ctx, account.id, { what: 'mail routing', feature: 'change_mx' }, routings),
    ...restoreWith(ctx, account.id, { what: 'catch-alls', feature: 'default_address' }, catchAlls),
  ]
}

function restoreRouting(ctx: Context, { domain, routing }: RestoredMailDomain): [] {
  setEmailDomain(ctx, domain.id, { routing })
  const row = emailDomainById(ctx.db, domain.id)!
  setEmailDomain(ctx, domain.id, { told_routing: toEmailDomain(ctx, { domain, row }).effective_routing })
  return []
}

/** Mailboxes and forwarders may have been left out; a catch-all needs its destination. */
function restoreCatchAll(ctx: Context, account: string, { domain, catch_all }: RestoredMailDomain): string[] {
  const { mailboxes, forwarders } = routesOf(ctx.db, account)
  if (catch_all !== null && !mailboxes.has(catch_all) && !forwarders.has(catch_all))
    return [`${domain.name}: its catch-all was not restored, since ${catch_all} does not exist`]
  setEmailDomain(ctx, domain.id, { catch_all })
  refuseCycle(ctx, account, emailDomainById(ctx.db, domain.id)!)
  return []
}

/** A newer forwarder may lead back to a restored catch-all. */
function refuseCycle({ db }: Context, account: string, { catch_all }: EmailDomainRow): void {
  const cycle = catch_all === null ? undefined : cycleThrough(routesOf(db, account), catch_all)
  if (cycle) throw new Problem('validation', `The catch-all leads back to itself: ${cycle.join(' → ')}.`)
}
