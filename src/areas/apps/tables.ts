import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { releaseSources, releaseStatuses } from '../../contract/apps/releases.ts'
import type { AppKind, listens } from '../../contract/apps/settings.ts'
import type { ObjectStatus } from '../../contract/common.ts'
import type { AppStatus } from '../../host/driver.ts'

export const apps = sqliteTable('apps', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  name: text('name').notNull(),
  kind: text('kind').$type<AppKind>().notNull(),
  git_url: text('git_url'),
  git_branch: text('git_branch'),
  git_username: text('git_username'),
  /** Sealed. */
  git_password: text('git_password'),
  deploy_key: text('deploy_key'),
  /** Of the deploy key, sealed. */
  private_key: text('private_key'),
  host_key: text('host_key'),
  listen: text('listen').$type<(typeof listens)[number]>().notNull(),
  /** Of the live release. */
  port: integer('port'),
  root: text('root'),
  install: text('install'),
  build: text('build'),
  start: text('start'),
  build_timeout_s: integer('build_timeout_s').notNull(),
  health_path: text('health_path').notNull(),
  health_timeout_s: integer('health_timeout_s').notNull(),
  keep_releases: integer('keep_releases').notNull(),
  /** Whether it is to run. */
  running: integer('running', { mode: 'boolean' }).notNull(),
  /** Whether the host has it. */
  status: text('status').$type<ObjectStatus>().notNull(),
  /** What the host last said of its process. */
  observed: text('observed').$type<AppStatus['status']>().notNull(),
  status_reason: text('status_reason'),
  /** When it was seen crashed. */
  crashed_at: integer('crashed_at'),
  current_release_id: text('current_release_id'),
  /** The release that a job brings live. */
  deploying_release_id: text('deploying_release_id'),
  /** Of its newest release, also of one that is forgotten. */
  last_number: integer('last_number').notNull(),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type AppRow = typeof apps.$inferSelect

export const releases = sqliteTable('app_releases', {
  id: text('id').primaryKey(),
  app_id: text('app_id').notNull(),
  number: integer('number').notNull(),
  source: text('source').$type<(typeof releaseSources)[number]>().notNull(),
  ref: text('ref'),
  upload_id: text('upload_id'),
  commit_id: text('commit_id'),
  /** Within the release, as its deploy found it. */
  root: text('root'),
  status: text('status').$type<(typeof releaseStatuses)[number]>().notNull(),
  error: text('error'),
  size_bytes: integer('size_bytes'),
  job_id: text('job_id').notNull(),
  created_at: integer('created_at').notNull(),
  activated_at: integer('activated_at'),
})
export type ReleaseRow = typeof releases.$inferSelect

export const appEnv = sqliteTable(
  'app_env',
  {
    app_id: text('app_id').notNull(),
    name: text('name').notNull(),
    /** Of a variable that is not secret. */
    value: text('value'),
    /** Of a secret one. */
    sealed: text('sealed'),
    updated_at: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.app_id, table.name] })],
)
export type EnvRow = typeof appEnv.$inferSelect
