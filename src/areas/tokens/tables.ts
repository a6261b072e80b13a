import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Only the SHA-256 of a secret is stored. */
export const tokens = sqliteTable('tokens', {
  id: text('id').primaryKey(),
  kind: text('kind').$type<'admin' | 'account'>().notNull(),
  principal_type: text('principal_type').$type<'root' | 'reseller' | 'account'>().notNull(),
  principal_id: text('principal_id').notNull(),
  account_id: text('account_id'),
  name: text('name').notNull(),
  prefix: text('prefix').notNull(),
  hash: text('hash').notNull(),
  scopes: text('scopes', { mode: 'json' }).$type<string[]>().notNull(),
  allowed_ips: text('allowed_ips', { mode: 'json' }).$type<string[]>().notNull(),
  created_at: integer('created_at').notNull(),
  expires_at: integer('expires_at'),
  last_used_at: integer('last_used_at'),
  last_used_ip: text('last_used_ip'),
})
export type TokenRow = typeof tokens.$inferSelect
