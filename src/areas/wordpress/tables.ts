import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { autoUpdates, wordpressEnvironments, wordpressStatuses } from '../../contract/wordpress.ts'
import type { WordpressFiles } from '../../host/contract/driver.ts'

export const wordpressSites = sqliteTable('wordpress_sites', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  domain_id: text('domain_id').notNull(),
  /** Below the domain: `/` or `/blog`. */
  path: text('path').notNull(),
  /** Where WordPress itself is, if it has a directory of its own. */
  core_path: text('core_path').notNull(),
  version: text('version'),
  database: text('database'),
  prefix: text('prefix'),
  multisite: integer('multisite', { mode: 'boolean' }).notNull(),
  environment: text('environment').$type<(typeof wordpressEnvironments)[number]>().notNull(),
  status: text('status').$type<(typeof wordpressStatuses)[number]>().notNull(),
  /** Why its files do not say what it is. */
  problem: text('problem').$type<NonNullable<WordpressFiles['problem']>>(),
  missing_since: integer('missing_since'),
  core_update: text('core_update'),
  plugin_updates: integer('plugin_updates').notNull(),
  theme_updates: integer('theme_updates').notNull(),
  auto_update: text('auto_update').$type<(typeof autoUpdates)[number]>().notNull(),
  window_day: integer('window_day'),
  window_hour: integer('window_hour'),
  checked_at: integer('checked_at').notNull(),
  created_at: integer('created_at').notNull(),
})
export type WordpressRow = typeof wordpressSites.$inferSelect

/** When document roots are scanned; triggers add and renew the rows. */
export const wordpressScans = sqliteTable('wordpress_scans', {
  domain_id: text('domain_id').primaryKey(),
  next_at: integer('next_at').notNull(),
})

/** Files that sign in, to be removed once they have expired. */
export const wordpressLinks = sqliteTable('wordpress_links', {
  file: text('file').primaryKey(),
  site_id: text('site_id').notNull(),
  until: integer('until').notNull(),
})
export type LinkRow = typeof wordpressLinks.$inferSelect
