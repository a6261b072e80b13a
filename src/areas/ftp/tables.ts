import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ObjectStatus } from '../../contract/common.ts'

export const ftpAccounts = sqliteTable('ftp_accounts', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  domain_id: text('domain_id').notNull(),
  /** The part of its login before the `@`. */
  local: text('local').notNull(),
  directory: text('directory').notNull(),
  quota_mb: integer('quota_mb'),
  /** SHA512-CRYPT. */
  hash: text('hash').notNull(),
  password_changed_at: integer('password_changed_at').notNull(),
  status: text('status').$type<ObjectStatus>().notNull(),
  created_at: integer('created_at').notNull(),
})
export type FtpRow = typeof ftpAccounts.$inferSelect
