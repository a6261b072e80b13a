import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The versions of PHP that each node had when it was last asked. */
export const phpVersions = sqliteTable(
  'php_versions',
  {
    node: text('node').notNull(),
    version: text('version').notNull(),
    is_default: integer('is_default', { mode: 'boolean' }).notNull(),
    extensions: text('extensions', { mode: 'json' }).$type<readonly string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.node, table.version] })],
)
export type PhpVersionRow = typeof phpVersions.$inferSelect
