import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Whose zones name servers of nodes have beside those of their own accounts. Triggers keep it. */
export const served = sqliteTable(
  'dns_served',
  {
    node: text('node').notNull(),
    account_id: text('account_id').notNull(),
    /** Changes that the node was not told of; below zero where it could not be told. */
    due: integer('due').notNull(),
  },
  ({ node, account_id }) => [primaryKey({ columns: [node, account_id] })],
)
export type ServedRow = typeof served.$inferSelect
