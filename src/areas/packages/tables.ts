import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { LetterKind } from '../../contract/email-templates.ts'

/** The limits that accounts take from their package; null is unlimited. */
export const limitColumns = () => ({
  bw_limit_mb: integer('bw_limit_mb'),
  disk_quota_mb: integer('disk_quota_mb'),
  default_email_quota_mb: integer('default_email_quota_mb'),
  max_email_quota_mb: integer('max_email_quota_mb'),
  max_addon: integer('max_addon'),
  max_email: integer('max_email'),
  max_email_per_hour: integer('max_email_per_hour'),
  max_ftp: integer('max_ftp'),
  max_parked: integer('max_parked'),
  max_sql: integer('max_sql'),
  max_sub: integer('max_sub'),
  php_max_children: integer('php_max_children'),
})

export interface Isolation {
  cpu_pct?: number | undefined
  ep?: number | undefined
  inodes?: number | undefined
  io_mbps?: number | undefined
  iops?: number | undefined
  mem_mb?: number | undefined
  nproc?: number | undefined
}

export const packages = sqliteTable('packages', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  owner_id: text('owner_id').notNull(),
  feature_list_id: text('feature_list_id').notNull(),
  theme: text('theme').$type<'default' | 'dark' | 'light'>().notNull(),
  shell: text('shell').notNull(),
  locale: text('locale').notNull(),
  cgi: integer('cgi', { mode: 'boolean' }).notNull(),
  dedicated_ip: integer('dedicated_ip', { mode: 'boolean' }).notNull(),
  digest_auth: integer('digest_auth', { mode: 'boolean' }).notNull(),
  ...limitColumns(),
  backup_schedule: text('backup_schedule').$type<'none' | 'daily' | 'weekly'>().notNull().default('none'),
  backup_keep: integer('backup_keep').notNull().default(7),
  max_backups: integer('max_backups'),
  max_apps: integer('max_apps'),
  php_memory_max_mb: integer('php_memory_max_mb'),
  php_execution_max_s: integer('php_execution_max_s'),
  php_upload_max_mb: integer('php_upload_max_mb'),
  /** The node labels that its accounts require. */
  node_labels: text('node_labels', { mode: 'json' }).$type<readonly string[]>(),
  /** Emails that its accounts get. */
  letters: text('letters', { mode: 'json' }).$type<LetterKind[]>(),
  isolation: text('isolation', { mode: 'json' }).$type<Isolation>(),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type PackageRow = typeof packages.$inferSelect
