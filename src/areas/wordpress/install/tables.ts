import { sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What was made for a site, and until it is complete how to make it. */
export const wordpressInstalls = sqliteTable('wordpress_installs', {
  site_id: text('site_id').primaryKey(),
  database_id: text('database_id'),
  user_id: text('user_id'),
  version: text('version').notNull(),
  locale: text('locale'),
  /** Sealed, as it has passwords; null once they have been used. */
  settings: text('settings'),
})
export type InstallRow = typeof wordpressInstalls.$inferSelect
