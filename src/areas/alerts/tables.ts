import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ChannelShape, channelTypes, digests, SentOutcome, SentReason } from '../../contract/alerts.ts'
import type { NoticeKind, noticeSeverities } from '../../contract/notices.ts'

export interface Quiet {
  readonly from: string
  readonly to: string
  readonly timezone: string
}

/** `address` and `secret` are encrypted. `account_id` is null for the server's and resellers' channels. */
export const channels = sqliteTable('alert_channels', {
  id: text('id').primaryKey(),
  owner_id: text('owner_id').notNull(),
  account_id: text('account_id'),
  name: text('name').notNull(),
  type: text('type').$type<(typeof channelTypes)[number]>().notNull(),
  shape: text('shape').$type<ChannelShape>(),
  recipient: text('recipient'),
  host: text('host'),
  address: text('address'),
  secret: text('secret'),
  kinds: text('kinds', { mode: 'json' }).$type<string[]>().notNull(),
  quiet: text('quiet', { mode: 'json' }).$type<Quiet>(),
  urgent: integer('urgent', { mode: 'boolean' }).notNull(),
  digest: text('digest').$type<(typeof digests)[number]>().notNull(),
  escalate_after_min: integer('escalate_after_min'),
  escalate_to: text('escalate_to'),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  failures: integer('failures').notNull().default(0),
  disabled_reason: text('disabled_reason'),
  verified: integer('verified', { mode: 'boolean' }).notNull(),
  tested_at: integer('tested_at'),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type ChannelRow = typeof channels.$inferSelect

/** Mailed links; a day's count for each owner. */
export const confirmations = sqliteTable('alert_confirmations', {
  hash: text('hash').primaryKey(),
  channel_id: text('channel_id').notNull(),
  owner_id: text('owner_id').notNull(),
  recipient: text('recipient').notNull(),
  created_at: integer('created_at').notNull(),
})

/** Accounts whose contact address was set by the account itself. */
export const unconfirmedContacts = sqliteTable('unconfirmed_contacts', {
  account_id: text('account_id').primaryKey(),
})

export const alerts = sqliteTable('alerts', {
  id: text('id').primaryKey(),
  kind: text('kind').$type<NoticeKind>().notNull(),
  severity: text('severity').$type<(typeof noticeSeverities)[number]>().notNull(),
  object: text('object').notNull(),
  object_id: text('object_id').notNull(),
  name: text('name').notNull(),
  detail: text('detail').notNull(),
  since: integer('since').notNull(),
  operation: text('operation'),
  account_id: text('account_id'),
  owner_id: text('owner_id'),
  username: text('username'),
  state: text('state').$type<'open' | 'acknowledged' | 'ended'>().notNull(),
  acknowledged_at: integer('acknowledged_at'),
  acknowledged_by: text('acknowledged_by'),
  /** Ends the escalation for this caller and those below it, not for those above. */
  acknowledged_as: text('acknowledged_as').$type<'root' | 'reseller' | 'account'>(),
  note: text('note'),
  gone_at: integer('gone_at'),
  ended_at: integer('ended_at'),
  created_at: integer('created_at').notNull(),
})
export type AlertRow = typeof alerts.$inferSelect

export const sends = sqliteTable('alert_sends', {
  id: text('id').primaryKey(),
  alert_id: text('alert_id').notNull(),
  channel_id: text('channel_id').notNull(),
  what: text('what').$type<SentReason>().notNull(),
  outcome: text('outcome').$type<SentOutcome>().notNull(),
  at: integer('at').notNull(),
  due_at: integer('due_at'),
  attempts: integer('attempts').notNull().default(0),
  message_id: text('message_id'),
  error: text('error'),
})
export type SendRow = typeof sends.$inferSelect
