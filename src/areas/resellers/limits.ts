import { and, count, eq, ne, sql } from 'drizzle-orm'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import { prepared } from '../../store/prepared.ts'
import type { Grant } from '../accounts/part.ts'
import { accounts } from '../accounts/tables.ts'
import { type ResellerRow, resellers } from './tables.ts'

const queries = prepared((db) => ({
  byId: db
    .select()
    .from(resellers)
    .where(eq(resellers.account_id, sql.placeholder('id')))
    .prepare(),
}))

/** 409 `limit-reached` if the owner is a reseller that may not grant that much, or one more account. */
export function refuseBeyondReseller(ctx: Context, { owner_id, limits, self }: Grant): void {
  const reseller = queries(ctx.db).byId.get({ id: owner_id })
  if (!reseller) return
  if (self === undefined) refuseOneMore(ctx, reseller)
  refuseTotal(
    ctx,
    reseller,
    {
      column: 'disk_quota_mb',
      used: 'disk_used_mb',
      most: reseller.max_disk_mb,
      granted: limits.disk_quota_mb,
      what: 'disk',
    },
    self,
  )
  refuseTotal(
    ctx,
    reseller,
    {
      column: 'bw_limit_mb',
      used: 'bw_used_month_mb',
      most: reseller.max_bw_mb,
      granted: limits.bw_limit_mb,
      what: 'bandwidth',
    },
    self,
  )
}

function refuseOneMore(ctx: Context, { account_id, max_accounts }: ResellerRow): void {
  if (max_accounts === null) return
  const owned = ctx.db.select({ owned: count() }).from(accounts).where(eq(accounts.owner_id, account_id)).get()!.owned
  if (owned >= max_accounts)
    throw new Problem('limit-reached', `The reseller has ${owned} of ${max_accounts} accounts.`)
}

interface Total {
  readonly column: 'disk_quota_mb' | 'bw_limit_mb'
  readonly used: 'disk_used_mb' | 'bw_used_month_mb'
  readonly most: number | null
  readonly granted: number | null
  readonly what: string
}

/** Without overselling, grants count and must be limited; with it, usage counts. */
function refuseTotal(
  ctx: Context,
  reseller: ResellerRow,
  { column, used, most, granted, what }: Total,
  self: string | undefined,
): void {
  if (most === null) return
  if (reseller.overselling) {
    if (sum(ctx, reseller, used, undefined) >= most)
      throw beyond(`The accounts of the reseller use all of its ${most} MB of ${what}.`)
    return
  }
  if (granted === null)
    throw beyond(`The reseller has ${most} MB of ${what} in total, so it cannot grant unlimited ${what}.`)
  const others = sum(ctx, reseller, column, self)
  if (others + granted > most)
    throw beyond(`The reseller has granted ${others} of ${most} MB of ${what}; ${granted} MB more would exceed that.`)
}

function sum(
  ctx: Context,
  { account_id }: ResellerRow,
  column: Total['column'] | Total['used'],
  except: string | undefined,
): number {
  const owned = and(eq(accounts.owner_id, account_id), except === undefined ? undefined : ne(accounts.id, except))
  return ctx.db
    .select({ total: sql<number>`coalesce(sum(${accounts[column]}), 0)` })
    .from(accounts)
    .where(owned)
    .get()!.total
}

const beyond = (detail: string): Problem => new Problem('limit-reached', detail)
