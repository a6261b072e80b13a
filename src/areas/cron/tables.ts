import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { cronOutcomes, cronTriggers } from '../../contract/cron.ts'

export const cronJobs = sqliteTable('cron_jobs', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  schedule: text('schedule').notNull(),
  command: text('command').notNull(),
  mail: integer('mail', { mode: 'boolean' }).notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  timeout_s: integer('timeout_s').notNull(),
  comment: text('comment').notNull(),
  /** When the server's clock looks at it next; none while it is disabled. */
  next_run_at: integer('next_run_at'),
  /** Since the first failure of those that no success has ended; a trigger keeps it. */
  failing_since: integer('failing_since'),
  /** Whether the host has it. */
  applied: integer('applied', { mode: 'boolean' }).notNull(),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type CronJobRow = typeof cronJobs.$inferSelect

export const cronRuns = sqliteTable('cron_runs', {
  id: text('id').primaryKey(),
  cron_job_id: text('cron_job_id').notNull(),
  trigger: text('trigger').$type<(typeof cronTriggers)[number]>().notNull(),
  outcome: text('outcome').$type<(typeof cronOutcomes)[number]>().notNull(),
  exit_code: integer('exit_code'),
  signal: text('signal'),
  started_at: integer('started_at').notNull(),
  finished_at: integer('finished_at'),
  output: text('output'),
  truncated: integer('truncated', { mode: 'boolean' }),
})
export type CronRunRow = typeof cronRuns.$inferSelect
