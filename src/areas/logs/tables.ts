import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Ranking } from '../../host/contract/driver.ts'

/** How far each log has been counted: a site's by its domain's id, a server-wide one by its name. */
export const logPlaces = sqliteTable('log_places', {
  log: text('log').primaryKey(),
  domain_id: text('domain_id'),
  file: text('file').notNull(),
  offset: integer('offset').notNull(),
})

/** In bytes. */
export const trafficDays = sqliteTable(
  'traffic_days',
  {
    account_id: text('account_id').notNull(),
    day: text('day').notNull(),
    web_in: integer('web_in').notNull(),
    web_out: integer('web_out').notNull(),
    ftp: integer('ftp').notNull(),
    mail: integer('mail').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.day] })],
)

/** Deleted when the day is over, so that its hashes cannot be recomputed. */
export const visitorSalts = sqliteTable('visitor_salts', {
  day: text('day').primaryKey(),
  salt: text('salt').notNull(),
})

/** The most frequent values, by category. */
export interface Top {
  readonly paths: Ranking
  readonly referrers: Ranking
  readonly statuses: Ranking
}

export const visitorDays = sqliteTable('visitor_days', {
  id: integer('id').primaryKey(),
  domain_id: text('domain_id').notNull(),
  day: text('day').notNull(),
  requests: integer('requests').notNull(),
  visitors: integer('visitors').notNull(),
  bytes: integer('bytes').notNull(),
  bots: integer('bots').notNull(),
  top: text('top', { mode: 'json' }).$type<Top>().notNull(),
  /** Its visitors are still known by hash. */
  open: integer('open', { mode: 'boolean' }).notNull(),
})
export type VisitorDayRow = typeof visitorDays.$inferSelect

/** A site's visitors on open days. */
export const visitorHashes = sqliteTable(
  'visitor_hashes',
  { visitor_day: integer('visitor_day').notNull(), hash: text('hash').notNull() },
  (table) => [primaryKey({ columns: [table.visitor_day, table.hash] })],
)

/** An account's usage; one row while it stays the same. */
export const usagePoints = sqliteTable(
  'usage_points',
  {
    account_id: text('account_id').notNull(),
    step: text('step').$type<'hour' | 'day'>().notNull(),
    at: integer('at').notNull(),
    /** The last hour or day that it covers. */
    until: integer('until').notNull(),
    disk_mb: integer('disk_mb').notNull(),
    inodes: integer('inodes').notNull(),
    cpu_ms: integer('cpu_ms'),
    memory_mb: integer('memory_mb'),
  },
  (table) => [primaryKey({ columns: [table.account_id, table.step, table.at] })],
)
export type UsagePoint = typeof usagePoints.$inferSelect

/** The host's CPU counter at the last measurement. */
export const usageCpu = sqliteTable('usage_cpu', {
  account_id: text('account_id').primaryKey(),
  total_ms: integer('total_ms').notNull(),
})
