import { and, count, eq, getTableColumns, isNotNull, lt, ne, not, type SQL, sql } from 'drizzle-orm'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { prepared } from '../../store/prepared.ts'
import type { Grant } from '../accounts/objects/part.ts'
import { accounts } from '../accounts/tables.ts'
import type { PackageRow } from '../packages/tables.ts'
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
  const others = self === undefined ? undefined : ne(accounts.id, self)
  for (const total of totals) refuseTotal(ctx, reseller, total, { granted: limits[total.column], others })
}

/** 409 `limit-reached` if a package raises limits of a reseller's accounts beyond what it may grant. */
export function refusePackageBeyondResellers(ctx: Context, plan: PackageRow): void {
  const follows = and(eq(accounts.package_id, plan.id), eq(accounts.terminating, false))!
  const owners = ctx.db
    .selectDistinct(getTableColumns(resellers))
    .from(resellers)
    .innerJoin(accounts, eq(accounts.owner_id, resellers.account_id))
    .where(follows)
    .orderBy(resellers.account_id)
    .all()
  for (const reseller of owners) for (const total of totals) refuseRaise(ctx, reseller, total, plan, follows)
}

/** A package that raises nothing passes, even if the reseller has granted too much already. */
function refuseRaise(ctx: Context, reseller: ResellerRow, total: Total, plan: PackageRow, follows: SQL): void {
  const limit = plan[total.column]
  const owned = and(eq(accounts.owner_id, reseller.account_id), follows)
  const column = accounts[total.column]
  const raised = limit === null ? isNotNull(column) : lt(column, limit)
  if (countOf(ctx, and(owned, raised)) === 0) return
  const granted = limit === null ? null : limit * countOf(ctx, owned)
  refuseTotal(ctx, reseller, total, { granted, others: not(follows) })
}

const countOf = (ctx: Context, where: SQL | undefined): number =>
  ctx.db.select({ found: count() }).from(accounts).where(where).get()!.found

function refuseOneMore(ctx: Context, { account_id, max_accounts }: ResellerRow): void {
  if (max_accounts === null) return
  const owned = countOf(ctx, eq(accounts.owner_id, account_id))
  if (owned >= max_accounts)
    throw beyond(
      `${ctx.actor.id === account_id ? 'You have' : 'The reseller has'} ${owned} of ${max_accounts} accounts.`,
    )
}

interface Total {
  readonly column: 'disk_quota_mb' | 'bw_limit_mb'
  readonly used: 'disk_used_mb' | 'bw_used_month_mb'
  readonly max: 'max_disk_mb' | 'max_bw_mb'
  readonly what: string
}

const totals: readonly Total[] = [
  { column: 'disk_quota_mb', used: 'disk_used_mb', max: 'max_disk_mb', what: 'disk' },
  { column: 'bw_limit_mb', used: 'bw_used_month_mb', max: 'max_bw_mb', what: 'bandwidth' },
]

interface Granting {
  /** Null is unlimited. */
  readonly granted: number | null
  /** Which accounts keep what they have; all if undefined. */
  readonly others: SQL | undefined
}

/** Without overselling, grants count and must be limited; with it, usage counts. */
function refuseTotal(ctx: Context, reseller: ResellerRow, total: Total, { granted, others }: Granting): void {
  const { column, used, what } = total
  const max = reseller[total.max]
  if (max === null) return
  if (reseller.overselling) {
    if (sum(ctx, reseller, used, undefined) >= max)
      throw beyond(
        ctx.actor.id === reseller.account_id
          ? `Your accounts use all of your ${max} MB of ${what}.`
          : `The accounts of the reseller use all of its ${max} MB of ${what}.`,
      )
    return
  }
  if (granted === null)
    throw beyond(
      ctx.actor.id === reseller.account_id
        ? `You have ${max} MB of ${what} in total: choose a package that limits ${what}, or create one.`
        : `The reseller has ${max} MB of ${what} in total, so it cannot grant unlimited ${what}.`,
    )
  const before = sum(ctx, reseller, column, others)
  if (before + granted > max)
    throw beyond(
      `${ctx.actor.id === reseller.account_id ? 'You have' : 'The reseller has'} granted ${before} of ${max} MB of ${what}; ${granted} MB more would exceed that.`,
    )
}

const sum = (
  ctx: Context,
  { account_id }: ResellerRow,
  column: Total['column'] | Total['used'],
  which: SQL | undefined,
): number =>
  ctx.db
    .select({ total: sql<number>`coalesce(sum(${accounts[column]}), 0)` })
    .from(accounts)
    .where(and(eq(accounts.owner_id, account_id), which))
    .get()!.total

const beyond = (detail: string): Problem => new Problem('limit-reached', detail)
