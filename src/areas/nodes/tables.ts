import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { NodeRole } from '../../contract/node-names.ts'

export const nodes = sqliteTable('nodes', {
  id: text('id').primaryKey(),
  /** Immutable: accounts and jobs refer to their node by it. */
  name: text('name').notNull(),
  roles: text('roles', { mode: 'json' }).$type<readonly NodeRole[]>().notNull(),
  labels: text('labels', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
  addresses: text('addresses', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
  /** The configured state; whether the node answers is not stored. */
  state: text('state').$type<'joining' | 'active' | 'draining' | 'retired'>().notNull(),
  /** Never reused: a removed account's files must not become a new account's. */
  next_uid: integer('next_uid').notNull(),
  /** The number of accounts, maintained by triggers. */
  accounts: integer('accounts').notNull().default(0),
  /** As last reported; null before. */
  disk_free_mb: integer('disk_free_mb'),
  version: text('version'),
  /** The agent's driver; null until the first connection. */
  driver: text('driver').$type<'directory' | 'debian'>(),
  /** The machine's host name, if its agent reports one. */
  hostname: text('hostname'),
  protocol: integer('protocol'),
  last_seen_at: integer('last_seen_at'),
  join_secret_hash: text('join_secret_hash'),
  join_expires_at: integer('join_expires_at'),
  fingerprint: text('fingerprint'),
  certificate_expires_at: integer('certificate_expires_at'),
  revoked_at: integer('revoked_at'),
  /** Why its version and this one are incompatible. */
  incompatible: text('incompatible'),
  created_at: integer('created_at').notNull(),
  joined_at: integer('joined_at'),
  /** Since when it has been down, if that was reported. */
  down_at: integer('down_at'),
  /** When the certificate's expiry was reported. */
  expiry_told_at: integer('expiry_told_at'),
})
export type NodeRow = typeof nodes.$inferSelect
