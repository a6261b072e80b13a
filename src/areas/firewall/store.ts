import { asc, eq } from 'drizzle-orm'
import type { FirewallRule as Visible } from '../../contract/firewall.ts'
import { notFound } from '../../contract/problem.ts'
import type { FirewallReport } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { FirewallRule } from '../../shared/firewall.ts'
import type { Db } from '../../store/open.ts'
import { type FirewallRow, firewallRules } from './tables.ts'

export const rowsOf = (db: Db): FirewallRow[] =>
  db.select().from(firewallRules).orderBy(asc(firewallRules.created_at), asc(firewallRules.id)).all()

export function findRule({ db, now }: Context, id: string): FirewallRow {
  const row = db.select().from(firewallRules).where(eq(firewallRules.id, id)).get()
  if (!row || (row.change === 'adding' && isOver(row, now))) throw notFound('rule')
  return row
}

const isOver = ({ revert_at }: FirewallRow, now: number): boolean => revert_at !== null && revert_at <= now

/** What a host says of the last change. */
type Seen = Pick<FirewallReport, 'confirmed' | 'pending'>

/** The rules as they are at a time: what was not confirmed in time is undone, unless the host says that it was. */
export function currentRules(db: Db, now: number, seen?: Seen): FirewallRow[] {
  return rowsOf(db).flatMap((row) => {
    if (row.change === null) return [row]
    const isConfirmed = row.change_id === seen?.confirmed
    const isUndone = isOver(row, now) || (seen !== undefined && row.applied && row.change_id !== seen.pending)
    if (!isConfirmed && !isUndone) return [row]
    const stays = (row.change === 'adding') === isConfirmed
    return stays ? [{ ...row, change: null, change_id: null, revert_at: null, applied: false }] : []
  })
}

/** Stores that. */
export function settleRules(db: Db, now: number, seen: Seen): void {
  const current = new Map(currentRules(db, now, seen).map((row) => [row.id, row]))
  for (const { id } of rowsOf(db).filter(({ change }) => change !== null)) {
    const row = current.get(id)
    if (!row) db.delete(firewallRules).where(eq(firewallRules.id, id)).run()
    else db.update(firewallRules).set(row).where(eq(firewallRules.id, id)).run()
  }
}

export const pendingIn = (rows: readonly FirewallRow[]): FirewallRow | undefined =>
  rows.find(({ change }) => change !== null)

/** The rules once the change that waits is made. */
export const rulesWith = (rows: readonly FirewallRow[]): FirewallRule[] =>
  rows.filter(({ change }) => change !== 'deleting').map(toHost)

/** Those that apply without it. */
export const rulesWithout = (rows: readonly FirewallRow[]): FirewallRule[] =>
  rows.filter(({ change }) => change !== 'adding').map(toHost)

const toHost = ({ action, port, service, proto, network }: FirewallRow): FirewallRule => ({
  ...{ action, proto },
  ...present({ port: port ?? undefined, service: service ?? undefined, from: network ?? undefined }),
})

export const toRule = (row: FirewallRow) => {
  const { id, action, proto, change, created_at } = row
  const optionalFields = { port: row.port, service: row.service, from: row.network, comment: row.comment }
  const set = Object.fromEntries(Object.entries(optionalFields).filter(([, value]) => value !== null)) as Partial<
    Pick<(typeof Visible)['_output'], 'port' | 'service' | 'from' | 'comment'>
  >
  return {
    ...{ id, action, ...set, proto, status: change ?? ('active' as const) },
    ...(row.revert_at !== null && { revert_at: row.revert_at }),
    created_at,
  }
}
