import { and, count, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Privilege } from '../../contract/common.ts'
import { notFound, Problem } from '../../contract/problem.ts'
import type { Reseller } from '../../contract/resellers.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Db } from '../../store/open.ts'
import { page, type Search } from '../../store/page.ts'
import { prepared } from '../../store/prepared.ts'
import type { ReservedName } from '../accounts/objects/part.ts'
import { accounts } from '../accounts/tables.ts'
import { type ResellerRow, resellers } from './tables.ts'

export interface FullReseller extends ResellerRow {
  readonly username: string
  readonly main_domain: string
  readonly owner_id: string
  readonly account_count: number
  readonly disk_granted_mb: number
  readonly bw_granted_mb: number
}

const granted = (limit: 'disk_quota_mb' | 'bw_limit_mb') =>
  sql<number>`(SELECT coalesce(sum(owned.${sql.identifier(limit)}), 0) FROM accounts AS owned WHERE owned.owner_id = ${resellers.account_id})`

const selection = {
  ...getTableColumns(resellers),
  username: accounts.username,
  main_domain: accounts.main_domain,
  owner_id: accounts.owner_id,
  account_count: sql<number>`(SELECT count(*) FROM accounts AS owned WHERE owned.owner_id = ${resellers.account_id})`,
  disk_granted_mb: granted('disk_quota_mb'),
  bw_granted_mb: granted('bw_limit_mb'),
}

const joined = (db: Db) =>
  db.select(selection).from(resellers).innerJoin(accounts, eq(accounts.id, resellers.account_id))

/** The reseller, or 404 `not-found`. */
export function findReseller(ctx: Context, id: string): FullReseller {
  const found = joined(ctx.db).where(eq(resellers.account_id, id)).get()
  if (!found) throw notFound('reseller')
  return found
}

/** For the caller itself: a reseller only finds itself. */
export function findOwnReseller(ctx: Context, id: string): FullReseller {
  if (!isRoot(ctx.actor) && ctx.actor.id !== id) throw notFound('reseller')
  return findReseller(ctx, id)
}

export function listResellers(ctx: Context, query: Search) {
  const rows = joined(ctx.db).$dynamic()
  const name = sql`(SELECT username FROM accounts WHERE accounts.id = ${resellers.account_id})`
  const { items, total } = page(ctx.db, { rows, table: resellers, id: resellers.account_id, name }, query)
  return { items: items.map(toReseller), total }
}

export const toReseller = (row: FullReseller): z.infer<typeof Reseller> => ({
  id: row.account_id,
  username: row.username,
  main_domain: row.main_domain,
  acl: row.acl,
  overselling: row.overselling,
  nameservers: row.nameservers,
  account_count: row.account_count,
  disk_granted_mb: row.disk_granted_mb,
  bw_granted_mb: row.bw_granted_mb,
  suspended: row.suspended_at !== null,
  suspend_reason: row.suspend_reason,
  created_at: row.created_at,
  updated_at: row.updated_at,
  ...present({
    acl_id: row.acl_id,
    max_accounts: row.max_accounts,
    max_disk_mb: row.max_disk_mb,
    max_bw_mb: row.max_bw_mb,
    suspended_at: row.suspended_at,
    brand: row.brand,
  }),
})

export const resellerName = (row: FullReseller): AccountName => ({
  id: row.account_id,
  username: row.username,
  domain: row.main_domain,
  owner_id: row.owner_id,
})

interface ResellerPrivileges {
  readonly acl: Privilege[]
  readonly acl_id: string | null
}

type ResellerLimits = Partial<Pick<ResellerRow, 'max_accounts' | 'max_disk_mb' | 'max_bw_mb'>>

/** Makes an account a reseller with these privileges, and emits the event. */
export function makeReseller(
  ctx: Context,
  account_id: string,
  privileges: ResellerPrivileges,
  limits: ResellerLimits = {},
): void {
  ctx.db
    .insert(resellers)
    .values({ account_id, ...privileges, ...limits, nameservers: [], created_at: ctx.now, updated_at: ctx.now })
    .run()
  const made = findReseller(ctx, account_id)
  ctx.emit({
    type: 'reseller.created',
    account: resellerName(made),
    object_id: account_id,
    details: { username: made.username },
  })
}

const queries = prepared((db: Db) => ({
  names: db
    .select({ id: resellers.account_id, nameservers: resellers.nameservers, brand: resellers.brand })
    .from(resellers)
    .prepare(),
  nameservers: db
    .select({ names: resellers.nameservers })
    .from(resellers)
    .where(eq(resellers.account_id, sql.placeholder('id')))
    .prepare(),
}))

export const isReseller = (db: Db, id: string): boolean => queries(db).nameservers.get({ id }) !== undefined

export const nameserversOf = (db: Db, id: string): readonly string[] => queries(db).nameservers.get({ id })?.names ?? []

/**
 * The names that lead to resellers' customers, except the caller's own. A reseller's customer is no exception: it could
 * move the zones of the others.
 */
export const reservedNames = ({ db, actor }: Context): ReservedName[] =>
  queries(db)
    .names.all()
    .filter(({ id }) => id !== actor.id)
    .flatMap(({ nameservers, brand }) => [
      ...nameservers.map((name) => ({ name, what: 'the name server of a reseller' })),
      ...(brand?.hostname === undefined ? [] : [{ name: brand.hostname, what: 'the host name of a brand' }]),
    ])

/** How many accounts it owns besides itself. */
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

/** Ends an account's reselling, if any, and emits the event. */
export function endReselling(ctx: Context, account: AccountName): void {
  const removed = ctx.db.delete(resellers).where(eq(resellers.account_id, account.id)).run()
  if (removed.changes === 0) return
  ctx.emit({ type: 'reseller.removed', account, object_id: account.id, details: { username: account.username } })
}
