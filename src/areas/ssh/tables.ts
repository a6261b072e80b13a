import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { sshKeyTypes } from '../../contract/ssh.ts'

/** Access is off for an account without a row. */
export const sshAccess = sqliteTable('ssh_access', {
  account_id: text('account_id').primaryKey(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
})

export const sshKeys = sqliteTable('ssh_keys', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  name: text('name').notNull(),
  type: text('type').$type<(typeof sshKeyTypes)[number]>().notNull(),
  blob: text('blob').notNull(),
  fingerprint: text('fingerprint').notNull(),
  comment: text('comment').notNull(),
  /** Whether it has been applied. */
  applied: integer('applied', { mode: 'boolean' }).notNull(),
  created_at: integer('created_at').notNull(),
})
export type SshKeyRow = typeof sshKeys.$inferSelect
