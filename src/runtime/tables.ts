import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ActorType, EventType, Via } from '../contract/events.ts'
import type { JobStatus, JobStep } from '../contract/jobs.ts'

export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: text('value', { mode: 'json' }).notNull(),
})

/** `core` is the body without the server: both the webhook body and the feed item are built around it. */
export const events = sqliteTable('events', {
  seq: integer('seq').primaryKey({ autoIncrement: true }),
  id: text('id').notNull(),
  type: text('type').$type<EventType>().notNull(),
  created_at: integer('created_at').notNull(),
  account_id: text('account_id'),
  for_account: integer('for_account', { mode: 'boolean' }).notNull(),
  server: text('server').notNull(),
  core: text('core').notNull(),
  /** The request that caused it, for the log lines of its deliveries. */
  request_id: text('request_id'),
})

/** A step of a job, and when it began. */
export interface StepTime {
  readonly step: JobStep
  readonly at: number
}

export const jobs = sqliteTable('jobs', {
  id: text('id').primaryKey(),
  kind: text('kind').notNull(),
  /** The node it works on. */
  node: text('node').notNull().default('local'),
  status: text('status').$type<JobStatus>().notNull(),
  attempts: integer('attempts').notNull().default(0),
  max_attempts: integer('max_attempts').notNull(),
  progress_pct: integer('progress_pct').notNull().default(0),
  /** One of its kind's declared steps. */
  step: text('step').$type<JobStep>(),
  /** When the steps of this attempt began. */
  step_times: text('step_times', { mode: 'json' }).$type<StepTime[]>(),
  payload: text('payload', { mode: 'json' }).$type<Record<string, string>>().notNull(),
  /** Jobs of one lane run in order, one at a time; urgent ones first. */
  lane: text('lane'),
  urgent: integer('urgent', { mode: 'boolean' }).notNull().default(false),
  /** Whose share of the worker it counts to; null for the server's own jobs. */
  tenant: text('tenant'),
  account_id: text('account_id'),
  username: text('username'),
  domain: text('domain'),
  owner_id: text('owner_id').notNull(),
  object_id: text('object_id'),
  actor_type: text('actor_type').$type<ActorType>().notNull(),
  actor_id: text('actor_id').notNull(),
  via: text('via').$type<Via>().notNull(),
  request_id: text('request_id').notNull(),
  error: text('error'),
  /** Of a failed job: whether a later one succeeded in its place. */
  mended: integer('mended', { mode: 'boolean' }).notNull().default(false),
  /** Increments with every claim: a worker that lost its lease writes nothing. */
  fence: integer('fence').notNull().default(0),
  lease_owner: text('lease_owner'),
  lease_until: integer('lease_until'),
  run_at: integer('run_at').notNull(),
  cancel_requested: integer('cancel_requested', { mode: 'boolean' }).notNull().default(false),
  created_at: integer('created_at').notNull(),
  started_at: integer('started_at'),
  finished_at: integer('finished_at'),
})
export type JobRow = typeof jobs.$inferSelect

export const jobLogs = sqliteTable(
  'job_logs',
  {
    job_id: text('job_id').notNull(),
    at: integer('at').notNull(),
    level: text('level').$type<'info' | 'warn' | 'error'>().notNull(),
    message: text('message').notNull(),
  },
  (table) => [primaryKey({ columns: [table.job_id, table.at] })],
)

export const audit = sqliteTable('audit', {
  id: text('id').primaryKey(),
  at: integer('at').notNull(),
  operation: text('operation').notNull(),
  actor_type: text('actor_type').$type<ActorType>().notNull(),
  actor_id: text('actor_id').notNull(),
  actor_name: text('actor_name').notNull(),
  acting_as_id: text('acting_as_id'),
  acting_as_name: text('acting_as_name'),
  via: text('via').$type<Via>().notNull(),
  token_id: text('token_id'),
  token_name: text('token_name'),
  address: text('address'),
  request_id: text('request_id').notNull(),
  account_id: text('account_id'),
  username: text('username'),
  owner_id: text('owner_id'),
  object_id: text('object_id'),
  before: text('before', { mode: 'json' }).$type<Record<string, unknown>>(),
  after: text('after', { mode: 'json' }).$type<Record<string, unknown>>(),
  /** Of a change that an AI agent made: why, and the name that its client claims. */
  reason: text('reason'),
  client: text('client'),
})

export const idempotency = sqliteTable(
  'idempotency',
  {
    principal_id: text('principal_id').notNull(),
    operation: text('operation').notNull(),
    key: text('key').notNull(),
    request: text('request').notNull(),
    status: integer('status').notNull(),
    answer: text('answer'),
    created_at: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.principal_id, table.operation, table.key] })],
)
