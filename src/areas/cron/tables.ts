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
  /** The next due time; null while disabled. */
  next_run_at: integer('next_run_at'),
  /** When the current series of failures began; kept by a trigger. */
  failing_since: integer('failing_since'),
  /** Whether it has been applied. */
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
