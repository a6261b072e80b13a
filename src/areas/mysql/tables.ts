import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ObjectStatus } from '../../contract/common.ts'
import type { DumpWarning } from '../../host/contract/driver.ts'
import type { Collation, Granted } from '../../shared/sql/privileges.ts'

export const databases = sqliteTable('mysql_databases', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  name: text('name').notNull(),
  collation: text('collation').$type<Collation>().notNull(),
  used_bytes: integer('used_bytes').notNull(),
  measured_at: integer('measured_at').notNull(),
  status: text('status').$type<ObjectStatus>().notNull(),
  created_at: integer('created_at').notNull(),
})
export type DatabaseRow = typeof databases.$inferSelect

export const users = sqliteTable('mysql_users', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  name: text('name').notNull(),
  /** Encrypted, since the hash is unsalted. */
  password_hash: text('password_hash').notNull(),
  password_changed_at: integer('password_changed_at').notNull(),
  status: text('status').$type<ObjectStatus>().notNull(),
  created_at: integer('created_at').notNull(),
})
export type UserRow = typeof users.$inferSelect

export const grants = sqliteTable(
  'mysql_grants',
  {
    database_id: text('database_id').notNull(),
    user_id: text('user_id').notNull(),
    privileges: text('privileges', { mode: 'json' }).$type<Granted>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.database_id, table.user_id] })],
)

export const hosts = sqliteTable('mysql_hosts', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  host: text('host').notNull(),
  /** Whether it has been applied. */
  applied: integer('applied', { mode: 'boolean' }).notNull(),
  status: text('status').$type<ObjectStatus>().notNull(),
  created_at: integer('created_at').notNull(),
})
export type HostRow = typeof hosts.$inferSelect

/** What the last import into a database brought. */
export const imports = sqliteTable('mysql_imports', {
  database_id: text('database_id').primaryKey(),
  job_id: text('job_id').notNull(),
  finished_at: integer('finished_at').notNull(),
  tables: integer('tables').notNull(),
  rows: integer('rows').notNull(),
  bytes: integer('bytes').notNull(),
  warnings: text('warnings', { mode: 'json' }).$type<DumpWarning[]>().notNull(),
})

/** A database's last export, where it waits for its download. */
export const exportedDumps = sqliteTable('mysql_exports', {
  database_id: text('database_id').primaryKey(),
  /** Its id in the home, too. */
  job_id: text('job_id').notNull(),
  file: text('file').notNull(),
  expires_at: integer('expires_at').notNull(),
})
