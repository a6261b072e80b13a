import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { challenges as ways } from '../../../contract/domains.ts'

export const autossl = sqliteTable('autossl', {
  domain_id: text('domain_id').primaryKey(),
  /** Null: as the server is set. */
  enabled: integer('enabled', { mode: 'boolean' }),
  challenge: text('challenge').$type<(typeof ways)[number]>(),
  last_attempt_at: integer('last_attempt_at'),
  last_error: text('last_error'),
  /** Since the first failure of those that no certificate has ended. */
  failing_since: integer('failing_since'),
  /** One after the other. */
  failures: integer('failures').notNull(),
  next_attempt_at: integer('next_attempt_at'),
})
export type AutosslRow = typeof autossl.$inferSelect

/** `private_key` is sealed. */
export const acmeAccounts = sqliteTable('acme_accounts', {
  directory: text('directory').primaryKey(),
  private_key: text('private_key').notNull(),
  created_at: integer('created_at').notNull(),
})

export const challenges = sqliteTable('acme_challenges', {
  domain_id: text('domain_id').notNull(),
  account_id: text('account_id').notNull(),
  /** None: the answer is a file below the site. */
  zone_id: text('zone_id'),
  /** Of the file, or of the record, relative to the zone. */
  name: text('name').notNull(),
  value: text('value').notNull(),
})
