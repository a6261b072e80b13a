import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Privilege } from '../../contract/common.ts'

export const resellers = sqliteTable('resellers', {
  account_id: text('account_id').primaryKey(),
  acl: text('acl', { mode: 'json' }).$type<Privilege[]>().notNull(),
  acl_id: text('acl_id'),
  max_accounts: integer('max_accounts'),
  max_disk_mb: integer('max_disk_mb'),
  max_bw_mb: integer('max_bw_mb'),
  overselling: integer('overselling', { mode: 'boolean' }).notNull().default(false),
  nameservers: text('nameservers', { mode: 'json' }).$type<string[]>().notNull(),
  suspended_at: integer('suspended_at'),
  suspend_reason: text('suspend_reason').notNull().default(''),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type ResellerRow = typeof resellers.$inferSelect

export const acls = sqliteTable('acls', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  acl: text('acl', { mode: 'json' }).$type<Privilege[]>().notNull(),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
