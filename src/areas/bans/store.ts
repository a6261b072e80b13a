import { and, count, eq, gt, isNull, lt, max, or, type SQL } from 'drizzle-orm'
import type * as declared from '../../contract/bans.ts'
import type { Output } from '../../contract/operation.ts'
import { notFound } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { bannedNetwork } from '../../shared/networks.ts'
import { day, hour, minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { page } from '../../store/page.ts'
import { type BanRow, bans } from './tables.ts'

export const isInForce = (now: number): SQL | undefined => and(isNull(bans.lifted_at), gt(bans.until, now))

export function findBan({ db, now }: Context, id: string): BanRow {
  const row = db
    .select()
    .from(bans)
    .where(and(eq(bans.id, id), isInForce(now)))
    .get()
  if (!row) throw notFound('ban')
  return row
}

/** The ban that an address is under. */
export function banOf(db: Db, now: number, address: string): BanRow | undefined {
  const network = bannedNetwork(address)
  if (network === undefined) return undefined
  return db
    .select()
    .from(bans)
    .where(and(eq(bans.address, network), isInForce(now)))
    .get()
}

export function listBans(ctx: Context, query: Parameters<typeof filterOf>[0] & Parameters<typeof page>[2]) {
  const where = and(isInForce(ctx.now), filterOf(query))
  const rows = ctx.db.select().from(bans).$dynamic()
  const { items, total } = page(ctx.db, { rows, table: bans, id: bans.id, where, name: bans.address }, query)
  return { items: items.map(toBan), total }
}

interface Filter {
  readonly address?: string
  readonly service?: BanRow['service']
  readonly node?: string
}

const filterOf = ({ address, service, node }: Filter): SQL | undefined =>
  and(
    address === undefined ? undefined : eq(bans.address, bannedNetwork(address) ?? address),
    service && eq(bans.service, service),
    node === undefined ? undefined : eq(bans.node, node),
  )

export const toBan = (row: BanRow): Output<typeof declared.getBan> => ({
  id: row.id,
  address: row.address,
  service: row.service,
  failures: row.failures,
  reason: row.reason,
  since: row.since,
  until: row.until,
  by: row.origin,
  ...(row.node !== null && { node: row.node }),
  accounts: [...row.accounts],
  sample: [...row.sample],
})

/** Each change has the next number, by which hosts know what they have not heard of. */
export const lastSeq = (db: Db): number =>
  db
    .select({ seq: max(bans.seq) })
    .from(bans)
    .get()?.seq ?? 0

export type NewBan = Omit<BanRow, 'id' | 'lifted_at' | 'seq' | 'announced'>

export function insertBan(db: Db, id: string, ban: NewBan): BanRow {
  return db
    .insert(bans)
    .values({ ...ban, id, lifted_at: null, seq: lastSeq(db) + 1, announced: 'none' })
    .returning()
    .get()
}

export const updateBan = (db: Db, { id }: BanRow, changes: Partial<BanRow>): BanRow =>
  db
    .update(bans)
    .set({ ...changes, seq: lastSeq(db) + 1 })
    .where(eq(bans.id, id))
    .returning()
    .get()

const countOf = (db: Db, where: SQL | undefined): number =>
  db.select({ total: count() }).from(bans).where(where).get()!.total

/** How long the first, second … ban of an address lasts, while it is remembered. */
const ladder = [10 * minute, hour, day, 7 * day] as const
const REMEMBERED_MS = 30 * day

export function durationOf(db: Db, address: string, now: number): number {
  const which = and(eq(bans.address, address), isNull(bans.lifted_at), gt(bans.since, now - REMEMBERED_MS))
  const earlier = countOf(db, which)
  return ladder[Math.min(earlier, ladder.length - 1)]!
}

/** Removes bans that no longer count for how long the next one lasts. The last change stays: numbers go on from it. */
export const forgetOldBans = (db: Db, now: number): void =>
  void db
    .delete(bans)
    .where(
      and(
        or(lt(bans.until, now), lt(bans.lifted_at, now)),
        lt(bans.since, now - REMEMBERED_MS),
        lt(bans.seq, lastSeq(db)),
      ),
    )
    .run()

/** Beyond this many, no more are made: a host's table has room for them. */
export const MAX_BANS = 100_000

/** How many a node has made that are in force. */
export const bansOf = (db: Db, now: number, node: string): number =>
  countOf(db, and(isInForce(now), eq(bans.node, node)))

export const allBansOf = (db: Db, now: number, node: string): BanRow[] =>
  db
    .select()
    .from(bans)
    .where(and(isInForce(now), eq(bans.node, node)))
    .all()

export const isFullOfBans = (db: Db, now: number): boolean => countOf(db, isInForce(now)) >= MAX_BANS
