import { asc, eq } from 'drizzle-orm'
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

const what = ({ port, service, network }: FirewallRow) =>
  present({ port: port ?? undefined, service: service ?? undefined, from: network ?? undefined })

const toHost = (row: FirewallRow): FirewallRule => ({ action: row.action, proto: row.proto, ...what(row) })

export const toRule = (row: FirewallRow) => {
  const { id, action, proto, comment, change, revert_at, created_at } = row
  return {
    ...{ id, action, ...what(row), ...present({ comment: comment ?? undefined }), proto },
    ...{ status: change ?? ('active' as const), ...present({ revert_at: revert_at ?? undefined }), created_at },
  }
}
