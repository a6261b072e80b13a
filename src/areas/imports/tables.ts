import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ImportOptions, ImportStatus, ImportStep, ReportItem } from '../../contract/imports.ts'
import type { Collation } from '../../shared/sql/privileges.ts'

type ImportCounts = Readonly<Record<'as_is' | 'changed' | 'not_possible' | 'conflicts', number>>

/** How far a step of a run is. */
export interface StepState {
  readonly status: 'pending' | 'running' | 'succeeded' | 'failed' | 'skipped'
  readonly done: number
  readonly total: number
  readonly unit: string
  readonly job_id?: string
  readonly error?: string
}

export type StepStates = { readonly [Step in ImportStep]?: StepState }

/** What the steps after the account's creation need, without a secret. */
export interface ImportWork {
  readonly username: string
  readonly prefix: string
  readonly messages: number
  /** Each with the id of its import, of which no step is repeated. */
  readonly databases: readonly {
    readonly id: string
    readonly name: string
    readonly collation: Collation
    readonly done: boolean
  }[]
  /** Literals in configurations: old and new. */
  readonly literals: Readonly<Record<string, string>>
  readonly roots: readonly string[]
  /** At activation. */
  readonly suspended?: { readonly reason: string } | undefined
}

/** What is known of the old server after what was read is gone. */
export interface Former {
  readonly ips: readonly string[]
  /** Domains that have a zone. */
  readonly domains: readonly string[]
  readonly isSigned: boolean
}

/** Imports outlive what they made, and keep its names. */
export const imports = sqliteTable('imports', {
  id: text('id').primaryKey(),
  owner_id: text('owner_id').notNull(),
  node: text('node').notNull(),
  /** Of an upload: where the panel keeps it. */
  path: text('path').notNull(),
  /** The upload whose file is removed with the import, or once it is active. */
  upload_id: text('upload_id'),
  upload_sha256: text('upload_sha256'),
  size_bytes: integer('size_bytes').notNull(),
  format: text('format').$type<'cpanel' | 'directadmin' | 'hestia'>(),
  panel_version: text('panel_version'),
  status: text('status').$type<ImportStatus>().notNull(),
  username: text('username').notNull(),
  main_domain: text('main_domain').notNull(),
  account_id: text('account_id'),
  options: text('options', { mode: 'json' }).$type<ImportOptions>().notNull(),
  /** Encrypted JSON: what was read, with hashes and keys. */
  source: text('source'),
  report: text('report', { mode: 'json' }).$type<readonly ReportItem[]>().notNull(),
  /** Of the report's lines, by their outcome. */
  counts: text('counts', { mode: 'json' }).$type<ImportCounts>().notNull(),
  job_id: text('job_id'),
  /** The user id that is reserved for the account. */
  uid: integer('uid'),
  steps: text('steps', { mode: 'json' }).$type<StepStates>().notNull(),
  work: text('work', { mode: 'json' }).$type<ImportWork>(),
  former: text('former', { mode: 'json' }).$type<Former>(),
  compared_at: integer('compared_at'),
  /** Whether it is run as soon as it is read. */
  runs: integer('runs', { mode: 'boolean' }).notNull(),
  last_sync_at: integer('last_sync_at'),
  error: text('error'),
  created_at: integer('created_at').notNull(),
  finished_at: integer('finished_at'),
  activated_at: integer('activated_at'),
})
export type ImportRow = typeof imports.$inferSelect
/** All but what may have megabytes. */
export type ImportHead = Omit<ImportRow, 'source' | 'report'>

/** Archives that are being sent; an import takes the file over. */
export const importUploads = sqliteTable('import_uploads', {
  id: text('id').primaryKey(),
  owner_id: text('owner_id').notNull(),
  name: text('name'),
  size: integer('size').notNull(),
  sha256: text('sha256'),
  created_at: integer('created_at').notNull(),
  expires_at: integer('expires_at').notNull(),
})
export type ImportUploadRow = typeof importUploads.$inferSelect
