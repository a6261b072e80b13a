import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { Brand, logoTypes } from '../../contract/brand.ts'
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
  brand: text('brand', { mode: 'json' }).$type<z.infer<typeof Brand>>(),
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

/** Logos of resellers and of root, whose logo is the server's. */
export const brandLogos = sqliteTable('brand_logos', {
  owner_id: text('owner_id').primaryKey(),
  sha256: text('sha256').notNull(),
  type: text('type').$type<(typeof logoTypes)[number]>().notNull(),
  width: integer('width').notNull(),
  height: integer('height').notNull(),
  bytes: blob('bytes', { mode: 'buffer' }).notNull(),
})
