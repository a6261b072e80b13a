import { and, count, eq, ne } from 'drizzle-orm'
import type { Privilege } from '../../contract/common.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import { accounts } from '../accounts/tables.ts'
import { resellers } from './tables.ts'

/** Makes an account a reseller with these privileges, and tells so. */
export function makeReseller(ctx: Context, account_id: string, acl: Privilege[]): void {
  ctx.db.insert(resellers).values({ account_id, acl, nameservers: [], created_at: ctx.now, updated_at: ctx.now }).run()
  const {
    username,
    main_domain: domain,
    owner_id,
  } = ctx.db.select().from(accounts).where(eq(accounts.id, account_id)).get()!
  ctx.emit({
    type: 'reseller.created',
    account: { id: account_id, username, domain, owner_id },
    object_id: account_id,
    details: { username },
  })
}

/** How many accounts it owns besides its own. */
export const ownedCount = (ctx: Context, id: string): number =>
  ctx.db
    .select({ owned: count() })
    .from(accounts)
    .where(and(eq(accounts.owner_id, id), ne(accounts.id, id)))
    .get()!.owned

/** 409 `in-use` for a reseller that still owns accounts. */
export function refuseWhileOwning(ctx: Context, account: { id: string; username: string }): void {
  const owned = ownedCount(ctx, account.id)
  if (owned > 0)
    throw new Problem('in-use', `${account.username} owns ${owned} accounts; move or terminate them first.`)
}

/** Takes reselling from an account that is a reseller, and tells so. */
export function removeReseller(
  ctx: Context,
  account: { id: string; username: string; main_domain: string; owner_id: string },
): void {
  const removed = ctx.db.delete(resellers).where(eq(resellers.account_id, account.id)).run()
  if (removed.changes === 0) return
  const { id, username, main_domain: domain, owner_id } = account
  ctx.emit({
    type: 'reseller.removed',
    account: { id, username, domain, owner_id },
    object_id: id,
    details: { username },
  })
}

/** 409 `limit-reached` when the reseller has as many accounts as it may. */
export function refuseBeyondReseller(ctx: Context, owner_id: string): void {
  const limit = ctx.db
    .select({ max: resellers.max_accounts })
    .from(resellers)
    .where(eq(resellers.account_id, owner_id))
    .get()?.max
  if (typeof limit !== 'number') return
  const owned = ctx.db.select({ owned: count() }).from(accounts).where(eq(accounts.owner_id, owner_id)).get()!.owned
  if (owned >= limit) throw new Problem('limit-reached', `The reseller has ${owned} of ${limit} accounts.`)
}
