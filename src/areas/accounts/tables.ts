import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { limitColumns } from '../packages/tables.ts'

export const accounts = sqliteTable('accounts', {
  id: text('id').primaryKey(),
  username: text('username').notNull(),
  main_domain: text('main_domain').notNull(),
  contact_email: text('contact_email').notNull(),
  password_hash: text('password_hash'),
  password_changed_at: integer('password_changed_at'),
  owner_id: text('owner_id').notNull(),
  package_id: text('package_id').notNull(),
  ip_id: text('ip_id').notNull(),
  /** An IPv6 address beside one of IPv4. */
  ip6_id: text('ip6_id'),
  uid: integer('uid').notNull(),
  /** The nodes with its files, mail and databases, by name: currently the same one. */
  node: text('node').notNull().default('local'),
  mail_node: text('mail_node').notNull().default('local'),
  database_node: text('database_node').notNull().default('local'),
  home_dir: text('home_dir').notNull(),
  db_prefix: text('db_prefix').notNull(),
  shell: text('shell').notNull(),
  theme: text('theme').notNull(),
  locale: text('locale').notNull(),
  mail_routing: text('mail_routing').$type<'auto' | 'local' | 'remote' | 'backup'>().notNull(),
  cgi: integer('cgi', { mode: 'boolean' }).notNull(),
  spam_box: integer('spam_box', { mode: 'boolean' }).notNull(),
  spam_filter: integer('spam_filter', { mode: 'boolean' }).notNull(),
  make_reseller: integer('make_reseller', { mode: 'boolean' }).notNull(),
  ...limitColumns(),
  inodes_limit: integer('inodes_limit'),
  bw_used_month_mb: integer('bw_used_month_mb').notNull().default(0),
  disk_used_mb: integer('disk_used_mb').notNull().default(0),
  inodes_used: integer('inodes_used').notNull().default(0),
  db_count: integer('db_count').notNull().default(0),
  db_used_bytes: integer('db_used_bytes').notNull().default(0),
  measured_at: integer('measured_at').notNull(),
  /** Since when 80 % of the disk space, or 90 % of another limit, are used; kept by triggers. */
  disk_near_since: integer('disk_near_since'),
  /** The step that is reached: 0, 80, 95 or 100 %; kept by triggers. */
  disk_near_step: integer('disk_near_step').notNull().default(0),
  inodes_near_since: integer('inodes_near_since'),
  bw_near_since: integer('bw_near_since'),
  /** Usage was only counted up to a bound. */
  at_least: integer('at_least', { mode: 'boolean' }).notNull().default(false),
  zone_serial: integer('zone_serial').notNull(),
  /** Increments with each change of its desired state. */
  generation: integer('generation').notNull().default(0),
  /** Its name on the host, until a rename is applied. */
  applied_username: text('applied_username'),
  provisioned: integer('provisioned', { mode: 'boolean' }).notNull().default(false),
  terminating: integer('terminating', { mode: 'boolean' }).notNull().default(false),
  suspended_at: integer('suspended_at'),
  suspended_by: text('suspended_by'),
  /** The reseller it was suspended with, and will be unsuspended with. */
  suspended_with: text('suspended_with'),
  suspend_reason: text('suspend_reason').notNull().default(''),
  suspend_locked: integer('suspend_locked', { mode: 'boolean' }).notNull().default(false),
  /** Made by an import, and not activated yet. */
  importing_since: integer('importing_since'),
  created_at: integer('created_at').notNull(),
})
export type AccountRow = typeof accounts.$inferSelect

/**
 * Every suffix of every username (`alice`, `lice`, `ice` …), kept by triggers: a search by part becomes one by prefix.
 */
export const accountNameEnds = sqliteTable(
  'account_name_ends',
  { ending: text('ending').notNull(), id: text('id').notNull() },
  (table) => [primaryKey({ columns: [table.ending, table.id] })],
)
