import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import { notFound } from '../../contract/problem.ts'
import type { Delivery, Webhook } from '../../contract/webhooks.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import { events } from '../../runtime/tables.ts'
import { type AttemptRow, attempts, type DeliveryRow, deliveries, type WebhookRow, webhooks } from './tables.ts'

/** An account's webhooks, or the server's. */
const ownedBy = (accountId: string | undefined): SQL =>
  accountId === undefined ? isNull(webhooks.account_id) : eq(webhooks.account_id, accountId)

/** The webhook, or 404 `not-found` if the owner has none with this id. The caller must be able to reach the account. */
export function findWebhook(ctx: Context, id: string, accountId: string | undefined): WebhookRow {
  const webhook = ctx.db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, id), ownedBy(accountId)))
    .get()
  if (!webhook) throw notFound('webhook')
  return webhook
}

export const listWebhooks = (ctx: Context, accountId: string | undefined): WebhookRow[] =>
  ctx.db.select().from(webhooks).where(ownedBy(accountId)).orderBy(webhooks.id).all()

export const countWebhooks = (ctx: Context, accountId: string | undefined): number =>
  ctx.db.select({ total: count() }).from(webhooks).where(ownedBy(accountId)).get()!.total

/** Row to resource (contract: StoreWebhookEndpoint). */
export function toWebhook(row: WebhookRow): z.infer<typeof Webhook> {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    enabled: row.enabled,
    events: row.events,
    consecutive_failures: row.consecutive_failures,
    created_at: row.created_at,
    updated_at: row.updated_at,
    owner_type: row.account_id === null ? 'server' : 'account',
    ...present({ account_id: row.account_id, disabled_reason: row.disabled_reason }),
  }
}

/** A delivery with the event it carries. */
export type FullDelivery = DeliveryRow & Pick<typeof events.$inferSelect, 'type'> & { event_id: string }

const selection = { ...getTableColumns(deliveries), type: events.type, event_id: events.id }

const joined = (ctx: Context) =>
  ctx.db.select(selection).from(deliveries).innerJoin(events, eq(events.seq, deliveries.event_seq))

/** The delivery, or 404 `not-found` if the webhook has none with this id. */
export function findDelivery(ctx: Context, webhookId: string, id: string): FullDelivery {
  const delivery = joined(ctx)
    .where(and(eq(deliveries.webhook_id, webhookId), eq(deliveries.id, id)))
    .get()
  if (!delivery) throw notFound('delivery')
  return delivery
}

/** Newest first. */
export const listDeliveries = (ctx: Context, webhookId: string, limit: number): FullDelivery[] =>
  joined(ctx).where(eq(deliveries.webhook_id, webhookId)).orderBy(desc(deliveries.id)).limit(limit).all()

/** Rows to resources, with every attempt. */
export function toDeliveries(ctx: Context, rows: readonly FullDelivery[]): z.infer<typeof Delivery>[] {
  const made = new Map<string, AttemptRow[]>(rows.map(({ id }) => [id, []]))
  for (const attempt of attemptsOf(ctx, rows)) made.get(attempt.delivery_id)!.push(attempt)
  return rows.map((row) => toDelivery(row, made.get(row.id)!))
}

const attemptsOf = (ctx: Context, rows: readonly FullDelivery[]): AttemptRow[] =>
  ctx.db
    .select()
    .from(attempts)
    .where(
      inArray(
        attempts.delivery_id,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(attempts.delivery_id, asc(attempts.number))
    .all()

function toDelivery(row: FullDelivery, made: readonly AttemptRow[]): z.infer<typeof Delivery> {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event_type: row.type,
    status: row.status,
    created_at: row.created_at,
    ...present({ next_attempt_at: row.asked_at ?? row.retry_at }),
    attempts: made.map(({ delivery_id: _, ...attempt }) => present(attempt)),
  }
}

/** Deletes every webhook of an account being terminated. */
export function endWebhooks(ctx: Context, accountId: string): void {
  ctx.db.delete(webhooks).where(eq(webhooks.account_id, accountId)).run()
  ctx.afterCommit(() => ctx.runtime.signals.emit('orphans'))
}
