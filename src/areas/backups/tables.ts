import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { destinationTypes, RemoteSettings } from '../../contract/backup-destinations.ts'
import type { BackupPartName, backupKinds, backupRhythms, backupStatuses, PartResult } from '../../contract/backups.ts'

/** Backup destinations. The first one is local: below the server's data directory, managed by the host. */
export const destinations = sqliteTable('backup_destinations', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  type: text('type').$type<(typeof destinationTypes)[number]>().notNull(),
  is_default: integer('is_default', { mode: 'boolean' }).notNull(),
  /** Local: an absolute directory; null is the host's default place. */
  path: text('path'),
  /** Remote: how to reach it. */
  settings: text('settings', { mode: 'json' }).$type<RemoteSettings>().notNull(),
  /** Encrypted JSON: its credentials and the backups' encryption key. */
  keys: text('keys'),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type DestinationRow = typeof destinations.$inferSelect

/** Backups outlive their account, and so keep its names. */
export const backups = sqliteTable('backups', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  username: text('username').notNull(),
  domain: text('domain').notNull(),
  owner_id: text('owner_id').notNull(),
  kind: text('kind').$type<(typeof backupKinds)[number]>().notNull(),
  status: text('status').$type<(typeof backupStatuses)[number]>().notNull(),
  /** The parts to save. */
  wanted: text('wanted', { mode: 'json' }).$type<readonly BackupPartName[]>().notNull(),
  /** The result of each part. */
  parts: text('parts', { mode: 'json' }).$type<readonly PartResult[]>().notNull(),
  size_bytes: integer('size_bytes').notNull(),
  destination_id: text('destination_id').notNull(),
  note: text('note').notNull(),
  manifest_sha256: text('manifest_sha256'),
  /** Of the texts that the panel itself wrote into it; null of older backups. */
  texts_sha256: text('texts_sha256'),
  checked_at: integer('checked_at'),
  expires_at: integer('expires_at'),
  job_id: text('job_id').notNull(),
  created_at: integer('created_at').notNull(),
  finished_at: integer('finished_at'),
  /** Encrypted: the key of the secrets in it. */
  secrets_key: text('secrets_key'),
  /** When a sample of it was last restored for trial. */
  tried_at: integer('tried_at'),
  /** What was found damaged. */
  damage: text('damage'),
  /** Those that its domains named; null of older backups. */
  php_versions: text('php_versions', { mode: 'json' }).$type<readonly string[]>(),
})
export type BackupRow = typeof backups.$inferSelect

/** An account's own settings, which override its package's. */
export const schedules = sqliteTable('backup_schedules', {
  account_id: text('account_id').primaryKey(),
  every: text('every').$type<(typeof backupRhythms)[number]>(),
  keep: integer('keep'),
  destination_id: text('destination_id'),
  /** When a scheduled backup was last enqueued. */
  last_at: integer('last_at'),
  updated_at: integer('updated_at').notNull(),
})
export type ScheduleRow = typeof schedules.$inferSelect

/** A restore's order and progress. Its id is its job's. */
export const restores = sqliteTable('backup_restores', {
  id: text('id').primaryKey(),
  backup_id: text('backup_id').notNull(),
  /** The account it is restored into. */
  account_id: text('account_id').notNull(),
  parts: text('parts', { mode: 'json' }).$type<readonly BackupPartName[]>().notNull(),
  paths: text('paths', { mode: 'json' }).$type<readonly string[]>(),
  put_to: text('put_to'),
  /** Only these, by their names in the backup. */
  databases: text('databases', { mode: 'json' }).$type<readonly string[]>(),
  safety: integer('safety', { mode: 'boolean' }).notNull(),
  safety_id: text('safety_id'),
  done: text('done', { mode: 'json' }).$type<readonly BackupPartName[]>().notNull(),
  created_at: integer('created_at').notNull(),
})
export type RestoreRow = typeof restores.$inferSelect
