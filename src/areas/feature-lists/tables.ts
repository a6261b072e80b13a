import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Feature } from '../../contract/common.ts'

/** Only what was switched is kept; a feature that is not named is on. */
export const featureLists = sqliteTable('feature_lists', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  owner_id: text('owner_id').notNull(),
  features: text('features', { mode: 'json' }).$type<Partial<Record<Feature, boolean>>>().notNull(),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type FeatureListRow = typeof featureLists.$inferSelect
