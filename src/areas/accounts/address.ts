import { and, eq, notExists, sql } from 'drizzle-orm'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import { prepared } from '../../store/prepared.ts'
import { ipById } from '../ips/store.ts'
import { type IpRow, ips } from '../ips/tables.ts'
import { accounts } from './tables.ts'

const queries = prepared((db) => ({ main: db.select().from(ips).where(eq(ips.main, true)).prepare() }))

/** The address an account gets: the one named, a free dedicated one where its package says so, else the main one. */
export function chooseIp(ctx: Context, id: string | undefined, dedicated: boolean): IpRow {
  if (id !== undefined) return named(ctx, id)
  return dedicated ? freeDedicated(ctx) : queries(ctx.db).main.get()!
}

function named(ctx: Context, id: string): IpRow {
  const found = ipById(ctx, id)
  if (!found) throw invalid('ip_id', 'is not an IP address of this server')
  if (found.kind === 'dedicated' && found.account_count > 0)
    throw invalid('ip_id', 'is a dedicated address of another account')
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
      'The package needs a dedicated IP address, but none is free. Add one with `panel ips create`.',
    )
  return free
}
