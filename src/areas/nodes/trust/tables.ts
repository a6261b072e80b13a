import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The fleet's keys: its authorities, and the node port's key, whose certificate is not stored. */
export const fleetKeys = sqliteTable('fleet_keys', {
  id: text('id').primaryKey(),
  kind: text('kind').$type<'authority' | 'port'>().notNull(),
  state: text('state').$type<'next' | 'current' | 'former'>().notNull(),
  /** When it entered that state. */
  since: integer('since').notNull(),
  certificate: text('certificate'),
  private_key: text('private_key').notNull(),
  not_after: integer('not_after'),
})
export type FleetKeyRow = typeof fleetKeys.$inferSelect
