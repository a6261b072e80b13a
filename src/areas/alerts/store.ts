import { and, eq, inArray, isNull, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { Alert } from '../../contract/alerts.ts'
import { notFound } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import { rootId } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'
import { page } from '../../store/page.ts'
import { commandsOf } from '../notices/commands.ts'
import { type AlertRow, alerts, channels, type SendRow, sends } from './tables.ts'

/** Alerts that a call is about: of an account; of root, all; of a reseller, those of its accounts. */
const reached = ({ actor }: Context, accountId?: string): SQL | undefined => {
  if (accountId !== undefined) return eq(alerts.account_id, accountId)
  return isRoot(actor) ? undefined : eq(alerts.owner_id, actor.id)
}

export function findAlert(ctx: Context, id: string, accountId?: string): AlertRow {
  const row = ctx.db
    .select()
    .from(alerts)
    .where(and(eq(alerts.id, id), reached(ctx, accountId)))
    .get()
  if (!row) throw notFound('alert')
  return row
}

interface ListQuery {
  readonly page: number
  readonly per_page: number
  readonly order: 'asc' | 'desc'
  readonly state?: AlertRow['state']
  readonly kind?: AlertRow['kind']
  readonly severity?: AlertRow['severity']
}

export function listPage(ctx: Context, { state, kind, severity, ...paging }: ListQuery, accountId?: string) {
  const where = and(
    reached(ctx, accountId),
    state === undefined ? undefined : eq(alerts.state, state),
    kind === undefined ? undefined : eq(alerts.kind, kind),
    severity === undefined ? undefined : eq(alerts.severity, severity),
  )
  const rows = ctx.db.select().from(alerts).$dynamic()
  const { items, total } = page(ctx.db, { rows, table: alerts, id: alerts.id, where }, paging)
  return { items: toAlerts(ctx, items, accountId), total }
}

/** Rows to resources, with what was sent to channels that the caller reaches. */
export function toAlerts(ctx: Context, rows: readonly AlertRow[], accountId?: string): z.infer<typeof Alert>[] {
  const sent = new Map<string, SendRow[]>(rows.map(({ id }) => [id, []]))
  for (const one of sendsOf(ctx, rows, accountId)) sent.get(one.alert_id)!.push(one)
  return rows.map((row) => toAlert(row, sent.get(row.id)!))
}

function sendsOf({ db, actor }: Context, rows: readonly AlertRow[], accountId?: string): SendRow[] {
  const ids = rows.map(({ id }) => id)
  const own = accountId ?? (isRoot(actor) ? rootId(db) : actor.id)
  const mine = isRoot(actor)
    ? undefined
    : and(eq(channels.owner_id, own), accountId === undefined ? isNull(channels.account_id) : undefined)
  return db
    .select({ send: sends })
    .from(sends)
    .innerJoin(channels, eq(channels.id, sends.channel_id))
    .where(and(inArray(sends.alert_id, ids), mine))
    .orderBy(sends.id)
    .all()
    .map(({ send }) => send)
}

function toAlert(row: AlertRow, sent: readonly SendRow[]): z.infer<typeof Alert> {
  const { id, kind, severity, object, object_id, name, detail, since, state } = row
  return {
    ...{ id, kind, severity, object, object_id, name, detail, since, state },
    ...present({
      account_id: row.account_id,
      username: row.username,
      acknowledged_at: row.acknowledged_at,
      acknowledged_by: row.acknowledged_by,
      note: row.note,
      ended_at: row.ended_at,
    }),
    ...commandsOf(row),
    sent: sent.map(({ channel_id, at, what, outcome, error }) => ({
      channel_id,
      at,
      what,
      outcome,
      ...present({ error }),
    })),
  } as z.infer<typeof Alert>
}

export const setAlert = (db: Db, id: string, values: Partial<AlertRow>): void =>
  void db.update(alerts).set(values).where(eq(alerts.id, id)).run()
