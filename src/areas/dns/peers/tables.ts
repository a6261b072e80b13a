import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** `secret` is encrypted, not hashed: every apply needs it. */
export const peers = sqliteTable('dns_peers', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  addresses: text('addresses', { mode: 'json' }).$type<readonly string[]>().notNull(),
  secret: text('secret').notNull(),
  /** For a node with the role `dns-secondary`, its name: its addresses are the node's. */
  node: text('node'),
  /** A digest of what that node was last told. */
  told: text('told'),
  created_at: integer('created_at').notNull(),
})
export type PeerRow = typeof peers.$inferSelect

/** The last content of each catalog. */
export const catalogs = sqliteTable('dns_catalogs', {
  number: integer('number').primaryKey(),
  serial: integer('serial').notNull(),
  digest: text('digest').notNull(),
})

/** Whether zones came or went since the host was told; a row exists once there has been a peer. Kept by triggers. */
export const catalogChanges = sqliteTable('dns_catalog_changes', {
  place: integer('place').primaryKey(),
  waiting: integer('waiting', { mode: 'boolean' }).notNull(),
})
