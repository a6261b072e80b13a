import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What the fleet is trusted by: its authorities, and the key of the node port, which has no certificate of its own here. */
export const fleetKeys = sqliteTable('fleet_keys', {
  id: text('id').primaryKey(),
  kind: text('kind').$type<'authority' | 'port'>().notNull(),
  state: text('state').$type<'next' | 'current' | 'former'>().notNull(),
  /** When it got into that state. */
  since: integer('since').notNull(),
  certificate: text('certificate'),
  private_key: text('private_key').notNull(),
  not_after: integer('not_after'),
})
export type FleetKeyRow = typeof fleetKeys.$inferSelect
