import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** `secret` is sealed: the host is told of it again and again. */
export const peers = sqliteTable('dns_peers', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  addresses: text('addresses', { mode: 'json' }).$type<readonly string[]>().notNull(),
  secret: text('secret').notNull(),
  /** Of a node of the fleet with the role `dns-secondary`: its addresses are the node's. */
  node: text('node'),
  /** What that node was told last, as a digest. */
  told: text('told'),
  created_at: integer('created_at').notNull(),
})
export type PeerRow = typeof peers.$inferSelect

/** What each catalog said last. */
export const catalogs = sqliteTable('dns_catalogs', {
  number: integer('number').primaryKey(),
  serial: integer('serial').notNull(),
  digest: text('digest').notNull(),
})

/** Whether zones came or went since the host was told; a row where there has been a peer. Triggers keep it. */
export const catalogChanges = sqliteTable('dns_catalog_changes', {
  place: integer('place').primaryKey(),
  waiting: integer('waiting', { mode: 'boolean' }).notNull(),
})
