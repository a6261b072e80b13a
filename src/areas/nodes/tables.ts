import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { NodeRole } from '../../contract/node-names.ts'

export const nodes = sqliteTable('nodes', {
  id: text('id').primaryKey(),
  /** Never changes: accounts and jobs say by it where they are. */
  name: text('name').notNull(),
  roles: text('roles', { mode: 'json' }).$type<readonly NodeRole[]>().notNull(),
  labels: text('labels', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
  addresses: text('addresses', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
  /** What it is meant for; whether it answers is not kept. */
  state: text('state').$type<'joining' | 'active' | 'draining' | 'retired'>().notNull(),
  /** Never given out twice: files of a removed account must not fall to a new one. */
  next_uid: integer('next_uid').notNull(),
  /** How many it has; triggers keep this. */
  accounts: integer('accounts').notNull().default(0),
  /** As it last said; unknown before it did. */
  disk_free_mb: integer('disk_free_mb'),
  version: text('version'),
  /** What its agent drives; unknown before it connected. */
  driver: text('driver').$type<'directory' | 'debian'>(),
  /** What its machine is called, where its agent says so. */
  hostname: text('hostname'),
  protocol: integer('protocol'),
  last_seen_at: integer('last_seen_at'),
  join_secret_hash: text('join_secret_hash'),
  join_expires_at: integer('join_expires_at'),
  fingerprint: text('fingerprint'),
  certificate_expires_at: integer('certificate_expires_at'),
  revoked_at: integer('revoked_at'),
  /** Why its program and this one cannot work together. */
  incompatible: text('incompatible'),
  created_at: integer('created_at').notNull(),
  joined_at: integer('joined_at'),
  /** Since when it has been down, where that was told. */
  down_at: integer('down_at'),
  /** When the end of its certificate was told of. */
  expiry_told_at: integer('expiry_told_at'),
})
export type NodeRow = typeof nodes.$inferSelect
