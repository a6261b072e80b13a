import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/context.ts'
import type { Db } from '../../../store/open.ts'
import type { FullAccount } from '../../accounts/store.ts'
import { namesOf } from '../../domains/renamed.ts'
import { routesOf } from '../account-routes.ts'
import { toEmailDomain } from '../domains/shown.ts'
import { emailDomainById, emailDomainsOf, setEmailDomain } from '../domains/store.ts'
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

export function restoreDomains(ctx: Context, account: FullAccount, all: readonly SavedMail[], nameNow: NameNow): void {
  for (const { domain: name, routing, catch_all } of all) {
    const domain = domainAt(ctx, account.id, nameNow(name))
    if (!emailDomainById(ctx.db, domain.id)) continue
    setEmailDomain(ctx, domain.id, { routing, catch_all: catch_all && addressNow(nameNow, catch_all) })
    const row = emailDomainById(ctx.db, domain.id)!
    setEmailDomain(ctx, domain.id, { told_routing: toEmailDomain(ctx, { domain, row }).effective_routing })
    refuseCycle(ctx, account.id, row)
  }
}

/** A forwarder that came since may lead back to a catch-all that comes back. */
function refuseCycle({ db }: Context, account: string, { catch_all }: EmailDomainRow): void {
  const cycle = catch_all === null ? undefined : cycleThrough(routesOf(db, account), catch_all)
  if (cycle) throw new Problem('validation', `The catch-all leads back to itself: ${cycle.join(' → ')}.`)
}
