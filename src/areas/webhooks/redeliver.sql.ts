import type Database from 'better-sqlite3'
import { encodeTime } from 'ulid'
import type { Context } from '../../runtime/operations/context.ts'
import { prepared } from '../../store/prepared.ts'
import { wake } from './outbox.sql.ts'
import type { WebhookRow } from './tables.ts'

// By hand, as claiming and settling are: 5 µs instead of 200 (bench/sql.ts).

const MAX_REDELIVERIES = 10_000
const lastTime = 2 ** 48 - 1

const queries = prepared((sqlite: Database.Database) => ({
  one: sqlite.prepare<[number, string, string]>('UPDATE deliveries SET asked_at = ? WHERE webhook_id = ? AND id = ?'),
  /** Ids start with their time, so only rows from then on are read. */
  since: sqlite.prepare(
    `UPDATE deliveries SET asked_at = @now WHERE webhook_id = @webhook AND id IN (
       SELECT id FROM deliveries WHERE webhook_id = @webhook AND id >= @from AND created_at >= @since
         AND status IN ('retrying', 'abandoned', 'skipped') AND asked_at IS NULL AND sent_at IS NULL
       ORDER BY id LIMIT ${MAX_REDELIVERIES})`,
  ),
}))

/** Requests one more attempt, inside a change. */
export function redeliver(ctx: Context, webhook: WebhookRow, deliveryId: string): void {
  queries(ctx.store.sqlite).one.run(ctx.now, webhook.id, deliveryId)
  wake(ctx.runtime, webhook)
}

/** Requests one more attempt of everything that failed or was skipped since a time, up to a limit. */
export function redeliverSince(ctx: Context, webhook: WebhookRow, since: number): { count: number; more?: true } {
  const from = encodeTime(Math.min(since, lastTime)).padEnd(26, '0')
  const count = queries(ctx.store.sqlite).since.run({ webhook: webhook.id, from, since, now: ctx.now }).changes
  if (count > 0) wake(ctx.runtime, webhook)
  return { count, ...(count === MAX_REDELIVERIES ? { more: true as const } : {}) }
}
