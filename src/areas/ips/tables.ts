import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const ips = sqliteTable('ips', {
  id: text('id').primaryKey(),
  address: text('address').notNull(),
  version: integer('version').$type<4 | 6>().notNull(),
  kind: text('kind').$type<'shared' | 'dedicated'>().notNull(),
  main: integer('main', { mode: 'boolean' }).notNull(),
  created_at: integer('created_at').notNull(),
})
export type IpRow = typeof ips.$inferSelect
