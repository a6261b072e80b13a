import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Ip } from '../../contract/ips.ts'
import { notFound } from '../../contract/problem.ts'
import { type Context, isRead } from '../../runtime/operations/context.ts'
import { page, type Search } from '../../store/page.ts'
import { type IpRow, ips } from './tables.ts'

export type FullIp = IpRow & { account_count: number }

const selection = {
  ...getTableColumns(ips),
  // Named in full: of one table drizzle writes columns bare, and a bare id would be the account's.
  account_count: sql<number>`(SELECT count(*) FROM accounts AS held WHERE held.ip_id = ips.id OR held.ip6_id = ips.id)`,
}

/** The address, if it is listed. */
export const ipById = (ctx: Context, id: string): FullIp | undefined =>
  ctx.db.select(selection).from(ips).where(eq(ips.id, id)).get()

/** The row of an address that a node has, made where it is the first to need it. */
export function ipOfAddress(ctx: Context, { address, version }: Pick<IpRow, 'address' | 'version'>): IpRow {
  const listed = ctx.db.select().from(ips).where(eq(ips.address, address)).get()
  if (listed) return listed
  const row = { id: ctx.id(), address, version, kind: 'shared', main: false, created_at: ctx.now } as const
  ctx.db.insert(ips).values(row).run()
  return row
}

export function findIp(ctx: Context, id: string): FullIp {
  const found = ipById(ctx, id)
  if (!found) throw notFound('IP address')
  return found
}

const uncounted = { ...selection, account_count: sql<number>`NULL` }

export function listIps(ctx: Context, query: Search) {
  const rows = ctx.db
    .select(isRead(ctx, 'account_count') ? selection : uncounted)
    .from(ips)
    .$dynamic()
  const { items, total } = page(ctx.db, { rows, table: ips, id: ips.id, name: ips.address }, query)
  return { items: items.map(toIp), total }
}

export const toIp = ({ id, address, version, kind, main, account_count, created_at }: FullIp): z.infer<typeof Ip> => ({
  id,
  address,
  version,
  kind,
  main,
  account_count,
  created_at,
})
