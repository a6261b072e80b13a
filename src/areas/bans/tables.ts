import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { BanService, banOrigins } from '../../contract/bans.ts'

export const bans = sqliteTable('bans', {
  id: text('id').primaryKey(),
  address: text('address').notNull(),
  service: text('service').$type<BanService>().notNull(),
  failures: integer('failures').notNull(),
  reason: text('reason').notNull(),
  since: integer('since').notNull(),
  until: integer('until').notNull(),
  lifted_at: integer('lifted_at'),
  origin: text('origin').$type<(typeof banOrigins)[number]>().notNull(),
  node: text('node'),
  accounts: text('accounts', { mode: 'json' }).$type<readonly string[]>().notNull(),
  /** Whether all failures were at logins of those accounts. */
  only_there: integer('only_there', { mode: 'boolean' }).notNull(),
  sample: text('sample', { mode: 'json' }).$type<readonly string[]>().notNull(),
  /** Rises with each change: what hosts have not heard of is above what they know. */
  seq: integer('seq').notNull(),
  /** What events have said of it. */
  announced: text('announced').$type<'none' | 'banned' | 'unbanned'>().notNull(),
})
export type BanRow = typeof bans.$inferSelect

/** When a customer lifted a ban. */
export const banLifts = sqliteTable('ban_lifts', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  at: integer('at').notNull(),
})
