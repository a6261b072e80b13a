import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export type UpdateKind = 'core' | 'plugins' | 'themes'

/** A plugin, a theme or WordPress itself, with the version that takes the place of the present one. */
export interface UpdateItem {
  readonly kind: UpdateKind
  /** Its directory; `wordpress` for WordPress itself. */
  readonly slug: string
  readonly from: string
  readonly to: string
  /** Whether the site loads it. */
  readonly active: boolean
  /** Names of files and directories that change places. */
  readonly names: readonly string[]
  readonly state: 'planned' | 'changing' | 'updated' | 'undone'
}

/** Of a site's tables that hold what no one can make again. */
export type TableChecksums = readonly { readonly name: string; readonly checksum: string }[]

/** The last update of a site, for as long as it can be undone. */
export const wordpressUpdates = sqliteTable('wordpress_updates', {
  site_id: text('site_id').primaryKey(),
  job_id: text('job_id').notNull(),
  /** From the home. */
  plugins_path: text('plugins_path'),
  themes_path: text('themes_path'),
  items: text('items', { mode: 'json' }).$type<readonly UpdateItem[]>().notNull(),
  /** The database of which there is a copy. */
  database: text('database'),
  checksums: text('checksums', { mode: 'json' }).$type<TableChecksums>(),
  expires_at: integer('expires_at').notNull(),
})
export type UpdateRow = typeof wordpressUpdates.$inferSelect
