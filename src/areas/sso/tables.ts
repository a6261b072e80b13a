import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One-time links; only the SHA-256 of a token is stored. */
export const links = sqliteTable('links', {
  id: text('id').primaryKey(),
  hash: text('hash').notNull(),
  /** Null: root. */
  account_id: text('account_id'),
  panel: text('panel').$type<'admin' | 'user'>().notNull(),
  goto: text('goto').notNull(),
  acting: integer('acting', { mode: 'boolean' }).notNull(),
  creator_type: text('creator_type').$type<'root' | 'reseller'>().notNull(),
  creator_id: text('creator_id').notNull(),
  creator_name: text('creator_name').notNull(),
  creator_token_id: text('creator_token_id'),
  /** The creating session, if it came from a link itself. */
  creator_session_id: text('creator_session_id'),
  created_at: integer('created_at').notNull(),
  expires_at: integer('expires_at').notNull(),
  used_at: integer('used_at'),
})
export type LinkRow = typeof links.$inferSelect
