import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { certificateKinds } from '../../contract/domains.ts'
import type { keyTypes } from '../../contract/ssl.ts'

/** `private_key` is encrypted; the migration explains the flags. */
export const certificates = sqliteTable('certificates', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  domain_id: text('domain_id').notNull(),
  kind: text('kind').$type<(typeof certificateKinds)[number]>().notNull(),
  domains: text('domains', { mode: 'json' }).$type<string[]>().notNull(),
  subject: text('subject').notNull(),
  issuer: text('issuer').notNull(),
  serial_number: text('serial_number').notNull(),
  key_type: text('key_type').notNull(),
  not_before: integer('not_before').notNull(),
  not_after: integer('not_after').notNull(),
  fingerprint_sha256: text('fingerprint_sha256').notNull(),
  trusted: integer('trusted', { mode: 'boolean' }).notNull(),
  certificate: text('certificate').notNull(),
  ca_bundle: text('ca_bundle').notNull(),
  private_key: text('private_key').notNull(),
  used: integer('used', { mode: 'boolean' }).notNull(),
  applied: integer('applied', { mode: 'boolean' }).notNull(),
  notified_days: integer('notified_days'),
  expiring_since: integer('expiring_since'),
  created_at: integer('created_at').notNull(),
})
export type CertificateRow = typeof certificates.$inferSelect

export const csrs = sqliteTable('csrs', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  domain_id: text('domain_id').notNull(),
  names: text('names', { mode: 'json' }).$type<string[]>().notNull(),
  key_type: text('key_type').$type<(typeof keyTypes)[number]>().notNull(),
  csr: text('csr').notNull(),
  private_key: text('private_key').notNull(),
  created_at: integer('created_at').notNull(),
})
export type CsrRow = typeof csrs.$inferSelect
