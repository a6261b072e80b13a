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
  /** The client that got it by OAuth; a client's name is its own claim. */
  client_id: text('client_id'),
  client_name: text('client_name'),
  client_host: text('client_host'),
  /** The only resource that takes it; null: the API and /mcp. */
  resource: text('resource'),
  /** When the secret ends; the grant ends at `expires_at`. */
  access_expires_at: integer('access_expires_at'),
  refresh_hash: text('refresh_hash'),
})
export type TokenRow = typeof tokens.$inferSelect

/** Clients that registered themselves. */
export const oauthClients = sqliteTable('oauth_clients', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  redirect_uris: text('redirect_uris', { mode: 'json' }).$type<string[]>().notNull(),
  /** Where it registered from. */
  network: text('network'),
  created_at: integer('created_at').notNull(),
})

export const oauthCodes = sqliteTable('oauth_codes', {
  hash: text('hash').primaryKey(),
  token_id: text('token_id').notNull(),
  client_id: text('client_id').notNull(),
  redirect_uri: text('redirect_uri').notNull(),
  challenge: text('challenge').notNull(),
  resource: text('resource').notNull(),
  expires_at: integer('expires_at').notNull(),
  used: integer('used', { mode: 'boolean' }).notNull(),
})

export const oauthUsedRefreshes = sqliteTable('oauth_used_refreshes', {
  hash: text('hash').primaryKey(),
  token_id: text('token_id').notNull(),
  used_at: integer('used_at').notNull(),
})
