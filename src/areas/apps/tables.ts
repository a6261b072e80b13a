import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { releaseSources, releaseStatuses } from '../../contract/apps/releases.ts'
import type { AppKind, listens } from '../../contract/apps/settings.ts'
import type { ObjectStatus } from '../../contract/common.ts'
import type { AppStatus } from '../../host/contract/driver.ts'

export const apps = sqliteTable('apps', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  name: text('name').notNull(),
  kind: text('kind').$type<AppKind>().notNull(),
  git_url: text('git_url'),
  git_branch: text('git_branch'),
  git_username: text('git_username'),
  /** Encrypted. */
  git_password: text('git_password'),
  deploy_key: text('deploy_key'),
  /** The deploy key, encrypted. */
  private_key: text('private_key'),
  host_key: text('host_key'),
  listen: text('listen').$type<(typeof listens)[number]>().notNull(),
  /** The live release's port. */
  port: integer('port'),
  root: text('root'),
  install: text('install'),
  build: text('build'),
  start: text('start'),
  build_timeout_s: integer('build_timeout_s').notNull(),
  health_path: text('health_path').notNull(),
  health_timeout_s: integer('health_timeout_s').notNull(),
  keep_releases: integer('keep_releases').notNull(),
  /** Whether it should be running. */
  running: integer('running', { mode: 'boolean' }).notNull(),
  /** Whether the host has it. */
  status: text('status').$type<ObjectStatus>().notNull(),
  /** The process's status, as last reported by the host. */
  observed: text('observed').$type<AppStatus['status']>().notNull(),
  status_reason: text('status_reason'),
  crashed_at: integer('crashed_at'),
  current_release_id: text('current_release_id'),
  /** The release being deployed. */
  deploying_release_id: text('deploying_release_id'),
  /** The newest release's number, even if that was deleted. */
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
  /** Relative to the release, as its deploy found it. */
  root: text('root'),
  status: text('status').$type<(typeof releaseStatuses)[number]>().notNull(),
  error: text('error'),
  /** A JSON list. */
  warnings: text('warnings'),
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
    /** The value if not secret. */
    value: text('value'),
    /** The encrypted value if secret. */
    sealed: text('sealed'),
    updated_at: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.app_id, table.name] })],
)
export type EnvRow = typeof appEnv.$inferSelect
