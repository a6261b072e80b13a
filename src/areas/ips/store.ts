import { and, count, eq, getTableColumns, notExists, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Ip } from '../../contract/ips.ts'
import { invalid, notFound, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import { contains, exactFirst, offsetOf } from '../../runtime/list.ts'
import { prepared } from '../../store/prepared.ts'
import { accounts } from '../accounts/tables.ts'
import { type IpRow, ips } from './tables.ts'

type Full = IpRow & { account_count: number }

const selection = {
  ...getTableColumns(ips),
  // Named in full: of one table drizzle writes columns bare, and a bare id would be the account's.
  account_count: sql<number>`(SELECT count(*) FROM accounts AS held WHERE held.ip_id = ips.id)`,
}

export function findIp(ctx: Context, id: string): Full {
  const found = ctx.db.select(selection).from(ips).where(eq(ips.id, id)).get()
  if (!found) throw notFound('IP address')
  return found
}

export function listIps(ctx: Context, query: { page: number; per_page: number; q?: string | undefined }) {
  const where = query.q ? contains(ips.address, query.q) : undefined
  const order = query.q ? [exactFirst(ips.address, query.q), ips.id] : [ips.id]
  const rows = ctx.db
    .select(selection)
    .from(ips)
    .where(where)
    .orderBy(...order)
    .limit(query.per_page)
    .offset(offsetOf(query))
    .all()
  const total = ctx.db.select({ total: count() }).from(ips).where(where).get()!.total
  return { items: rows.map(toIp), total }
}

const queries = prepared((db) => ({ main: db.select().from(ips).where(eq(ips.main, true)).prepare() }))

/** The address an account gets: the one named, a free dedicated one where its package says so, else the main one. */
export function chooseIp(ctx: Context, id: string | undefined, dedicated: boolean): IpRow {
  if (id !== undefined) return named(ctx, id)
  return dedicated ? freeDedicated(ctx) : queries(ctx.db).main.get()!
}

function named(ctx: Context, id: string): IpRow {
  const found = ctx.db.select(selection).from(ips).where(eq(ips.id, id)).get()
  if (!found) throw invalid('ip_id', 'names no IP address of this server')
  if (found.kind === 'dedicated' && found.account_count > 0)
    throw invalid('ip_id', 'names a dedicated address that another account has')
  return found
}

function freeDedicated(ctx: Context): IpRow {
  const held = ctx.db.select({ one: sql`1` }).from(accounts).where(eq(accounts.ip_id, ips.id))
  const free = ctx.db
    .select()
    .from(ips)
    .where(and(eq(ips.kind, 'dedicated'), notExists(held)))
    .orderBy(ips.id)
    .get()
  if (!free)
    throw new Problem(
      'limit-reached',
      'The package asks for a dedicated IP address and none is free; add one with `panel ips create`.',
    )
  return free
}

export const toIp = ({ id, address, version, kind, main, account_count, created_at }: Full): z.infer<typeof Ip> => ({
  id,
  address,
  version,
  kind,
  main,
  account_count,
  created_at,
})
