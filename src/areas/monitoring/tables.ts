import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { NoticeKind, noticeSeverities } from '../../contract/notices.ts'

/** What is wrong with a machine. */
export const machineIssues = sqliteTable(
  'machine_issues',
  {
    node_id: text('node_id').notNull(),
    kind: text('kind').$type<NoticeKind>().notNull(),
    severity: text('severity').$type<(typeof noticeSeverities)[number]>().notNull(),
    detail: text('detail').notNull(),
    begun_at: integer('begun_at').notNull(),
    /** Since when it is told; null until it has lasted. */
    since: integer('since'),
  },
  (table) => [primaryKey({ columns: [table.node_id, table.kind] })],
)
export type MachineIssue = typeof machineIssues.$inferSelect

/** How full file systems were in each hour. */
export const diskSamples = sqliteTable(
  'disk_samples',
  {
    node_id: text('node_id').notNull(),
    path: text('path').notNull(),
    /** The start of the hour. */
    at: integer('at').notNull(),
    used_mb: integer('used_mb').notNull(),
    used_inodes: integer('used_inodes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.node_id, table.path, table.at] })],
)
export type DiskSample = typeof diskSamples.$inferSelect

/** Accounts whose databases can only be read, as their node says. */
export const readOnlyDatabases = sqliteTable('read_only_databases', {
  account_id: text('account_id').primaryKey(),
  since: integer('since').notNull(),
})
