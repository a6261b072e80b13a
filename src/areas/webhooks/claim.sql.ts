import type Database from 'better-sqlite3'
import type { EventType } from '../../contract/events.ts'
import { bodyOf } from '../../runtime/events/emit.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'
import type { Flight, WebhookRow } from './tables.ts'

// By hand: statements name their index, which drizzle cannot; an update takes 5 µs instead of 200 (bench/sql.ts).

/** Encrypted, as stored. */
export type WebhookSecrets = Pick<WebhookRow, 'secret' | 'former_secret' | 'former_until'>

/** An attempt that may be made now: its number is committed. */
export interface Claim {
  readonly webhook_id: string
  readonly account_id: string | null
  readonly url: string
  readonly keys: WebhookSecrets
  readonly id: string
  readonly number: number
  readonly flight: Flight
  readonly event_id: string
  readonly request_id: string | null
  readonly event_type: EventType
  readonly body: string
}

type DeliveryTarget = WebhookSecrets & Pick<WebhookRow, 'id' | 'account_id' | 'url' | 'consecutive_failures'>
interface PendingWebhook {
  id: string
  account_id: string | null
  failures: number
  due: number
}
interface Claimed {
  id: string
  number: number
  flight: Flight
  event_seq: number
}
interface EventBody {
  id: string
  type: EventType
  core: string
  server: string
  request_id: string | null
}

const queries = prepared((sqlite: Database.Database) => ({
  target: sqlite.prepare<[string], DeliveryTarget>(
    'SELECT id, account_id, url, secret, former_secret, former_until, consecutive_failures FROM webhooks WHERE id = ?',
  ),
  claim: sqlite.prepare<[{ webhook: string; now: number; limit: number }], Claimed>(
    `UPDATE deliveries SET number = number + 1, sent_at = @now, asked_at = NULL,
       flight = iif(asked_at IS NULL, 'schedule', 'asked'),
       step = step + (asked_at IS NULL),
       retry_at = iif(asked_at IS NULL, NULL, retry_at)
     WHERE webhook_id = @webhook AND id IN (
       SELECT id FROM deliveries WHERE webhook_id = @webhook AND due_at <= @now ORDER BY due_at, id LIMIT @limit + 0)
     RETURNING id, number, flight, event_seq`,
  ),
  event: sqlite.prepare<[number], EventBody>('SELECT id, type, core, server, request_id FROM events WHERE seq = ?'),
  next: sqlite
    .prepare<[string], number | null>('SELECT min(due_at) FROM deliveries WHERE webhook_id = ? AND due_at IS NOT NULL')
    .pluck(),
  /** Skips from webhook to webhook in the index instead of reading everything that is due. */
  pending: sqlite.prepare<[], PendingWebhook>(
    `WITH RECURSIVE used (id) AS (
       SELECT min(webhook_id) FROM deliveries WHERE due_at IS NOT NULL
       UNION ALL SELECT (SELECT min(webhook_id) FROM deliveries WHERE due_at IS NOT NULL AND webhook_id > used.id)
       FROM used WHERE used.id IS NOT NULL)
     SELECT webhooks.id, account_id, consecutive_failures AS failures,
       (SELECT min(due_at) FROM deliveries WHERE webhook_id = webhooks.id AND due_at IS NOT NULL) AS due
     FROM used JOIN webhooks ON webhooks.id = used.id`,
  ),
}))

/** Claims at most `limit` due deliveries of a webhook, inside a change. */
export function claim(runtime: Runtime, webhookId: string, limit: number, now: number): Claim[] {
  const { sqlite } = runtime.store
  const target = queries(sqlite).target.get(webhookId)
  const claimed = target ? queries(sqlite).claim.all({ webhook: webhookId, now, limit }) : []
  return target ? claimed.flatMap((row) => claimOf(sqlite, target, row)) : []
}

function claimOf(sqlite: Database.Database, target: DeliveryTarget, { event_seq, ...row }: Claimed): Claim[] {
  const event = queries(sqlite).event.get(event_seq)
  if (!event) return []
  const { id: webhook_id, account_id, url, secret, former_secret, former_until } = target
  const keys = { secret, former_secret, former_until }
  return [
    {
      ...row,
      webhook_id,
      account_id,
      url,
      keys,
      event_id: event.id,
      event_type: event.type,
      request_id: event.request_id,
      body: bodyOf(event),
    },
  ]
}

/** A webhook's state in the store: whether it is failing, and when its next attempt is due. */
export interface Outlook {
  readonly failures: number
  readonly due: number | undefined
}

export function outlookOf(runtime: Runtime, webhookId: string): Outlook {
  const { target, next } = queries(runtime.store.sqlite)
  const webhook = target.get(webhookId)
  if (!webhook) return { failures: 0, due: undefined }
  return { failures: webhook.consecutive_failures, due: next.get(webhookId) ?? undefined }
}

/** Every webhook with a pending delivery. */
export const pending = (runtime: Runtime): PendingWebhook[] => queries(runtime.store.sqlite).pending.all()
