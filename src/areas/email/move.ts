import { eq } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import type { DomainRow } from '../domains/tables.ts'
import { followVerification } from './domains/routing.ts'
import { emailDomainsOf, setEmailDomain } from './domains/store.ts'
import { setForwarder } from './forwarders/store.ts'
import { forwarders } from './tables.ts'

/** A renamed domain is unverified at first. */
export function followName(ctx: Context, before: DomainRow, after: DomainRow): void {
  moveAddresses(ctx, before, after)
  followVerification(ctx, after)
}

/**
 * Updates destinations at a renamed domain of the account. Rows that have an address reference their domain by id, so
 * they follow by themselves.
 */
function moveAddresses(ctx: Context, before: DomainRow, after: DomainRow): void {
  if (before.name === after.name) return
  const moved = (address: string): string =>
    address.endsWith(`@${before.name}`) ? `${address.slice(0, -before.name.length)}${after.name}` : address
  const rows = ctx.db.select().from(forwarders).where(eq(forwarders.account_id, after.account_id)).all()
  for (const { id, destinations } of rows)
    if (destinations.some((one) => moved(one) !== one)) setForwarder(ctx, id, { destinations: destinations.map(moved) })
  for (const { domain_id, catch_all } of emailDomainsOf(ctx.db, after.account_id))
    if (catch_all !== null && moved(catch_all) !== catch_all)
      setEmailDomain(ctx, domain_id, { catch_all: moved(catch_all) })
}
