import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { relayPorts, relayTls } from '../../contract/relays.ts'

/** `password` is encrypted: the hosts need it. */
export const relays = sqliteTable('mail_relays', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  host: text('host').notNull(),
  port: integer('port').$type<(typeof relayPorts)[number]>().notNull(),
  tls: text('tls').$type<(typeof relayTls)[number]>().notNull(),
  username: text('username'),
  password: text('password'),
  kind: text('kind').$type<'server' | 'accounts' | 'domains'>().notNull(),
  status: text('status').$type<'active' | 'deleting'>().notNull(),
  tested_at: integer('tested_at'),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type RelayRow = typeof relays.$inferSelect

/** Whose mail leaves by a relay: an account's, a domain's or, with neither, the server's. */
export const relayTargets = sqliteTable('mail_relay_targets', {
  relay_id: text('relay_id').notNull(),
  account_id: text('account_id'),
  domain_id: text('domain_id'),
  /** A former one, until the hosts know. */
  gone: integer('gone', { mode: 'boolean' }).notNull(),
})
export type TargetRow = typeof relayTargets.$inferSelect
