import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { RecordType } from '../../shared/zone/record.ts'

/** `private_key` is encrypted; a zone without one is not signed. */
export const zones = sqliteTable('dns_zones', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  domain_id: text('domain_id').notNull(),
  name: text('name').notNull(),
  serial: integer('serial').notNull(),
  applied_serial: integer('applied_serial'),
  ttl: integer('ttl').notNull(),
  refresh: integer('refresh').notNull(),
  retry: integer('retry').notNull(),
  expire: integer('expire').notNull(),
  minimum: integer('minimum').notNull(),
  nameservers: text('nameservers', { mode: 'json' }).$type<readonly string[]>().notNull(),
  dnskey: text('dnskey'),
  key_tag: integer('key_tag'),
  private_key: text('private_key'),
  key_created_at: integer('key_created_at'),
  /** The catalog that lists it for peers. */
  catalog: integer('catalog'),
  /** Whether it got the records by which mail programs find their settings. */
  discovery: integer('discovery', { mode: 'boolean' }).notNull(),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type ZoneRow = typeof zones.$inferSelect

/** The serial of a name's last deleted zone; kept by triggers. */
export const previousSerials = sqliteTable('dns_past_serials', {
  name: text('name').primaryKey(),
  serial: integer('serial').notNull(),
})

export const records = sqliteTable('dns_records', {
  id: text('id').primaryKey(),
  zone_id: text('zone_id').notNull(),
  name: text('name').notNull(),
  type: text('type').$type<RecordType>().notNull(),
  ttl: integer('ttl'),
  value: text('value').notNull(),
  priority: integer('priority'),
  weight: integer('weight'),
  port: integer('port'),
  flags: integer('flags'),
  tag: text('tag'),
  managed: integer('managed', { mode: 'boolean' }).notNull(),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type RecordRow = typeof records.$inferSelect
