import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const uploads = sqliteTable('uploads', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  name: text('name'),
  size: integer('size').notNull(),
  sha256: text('sha256'),
  created_at: integer('created_at').notNull(),
  expires_at: integer('expires_at').notNull(),
})
export type UploadRow = typeof uploads.$inferSelect
