import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AttemptError, DeliveryStatus } from '../../contract/webhooks.ts'

/** `secret` is encrypted; `former_secret` is the previous one, during its grace period. */
export const webhooks = sqliteTable('webhooks', {
  id: text('id').primaryKey(),
  account_id: text('account_id'),
  url: text('url').notNull(),
  description: text('description').notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  events: text('events', { mode: 'json' }).$type<string[]>().notNull(),
  secret: text('secret').notNull(),
  former_secret: text('former_secret'),
  former_until: integer('former_until'),
  consecutive_failures: integer('consecutive_failures').notNull().default(0),
  failing_since: integer('failing_since'),
  disabled_reason: text('disabled_reason'),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type WebhookRow = typeof webhooks.$inferSelect

/** One event for one webhook; the migration explains the times. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    webhook_id: text('webhook_id').notNull(),
    id: text('id').notNull(),
    event_seq: integer('event_seq').notNull(),
    status: text('status').$type<DeliveryStatus>().notNull(),
    number: integer('number').notNull().default(0),
    step: integer('step').notNull().default(0),
    retry_at: integer('retry_at'),
    asked_at: integer('asked_at'),
    sent_at: integer('sent_at'),
    flight: text('flight').$type<Flight>(),
    created_at: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.webhook_id, table.id] })],
)
export type DeliveryRow = typeof deliveries.$inferSelect
/** Why an attempt is made: scheduled or requested. */
export type Flight = 'schedule' | 'asked'

export const attempts = sqliteTable(
  'delivery_attempts',
  {
    delivery_id: text('delivery_id').notNull(),
    number: integer('number').notNull(),
    at: integer('at').notNull(),
    duration_ms: integer('duration_ms').notNull(),
    http_status: integer('http_status'),
    error: text('error').$type<AttemptError>(),
    response_start: text('response_start'),
  },
  (table) => [primaryKey({ columns: [table.delivery_id, table.number] })],
)
export type AttemptRow = typeof attempts.$inferSelect
