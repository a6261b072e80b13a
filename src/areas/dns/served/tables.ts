import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The zones that nodes' name servers have beside those of their own accounts. Maintained by triggers. */
export const served = sqliteTable(
  'dns_served',
  {
    node: text('node').notNull(),
    account_id: text('account_id').notNull(),
    /** The number of changes not sent yet; negative after a failure. */
    due: integer('due').notNull(),
  },
  ({ node, account_id }) => [primaryKey({ columns: [node, account_id] })],
)
export type ServedRow = typeof served.$inferSelect
