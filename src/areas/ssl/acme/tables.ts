import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { challenges as challengeTypes } from '../../../contract/domains.ts'

export const autossl = sqliteTable('autossl', {
  domain_id: text('domain_id').primaryKey(),
  /** Null: the server's setting. */
  enabled: integer('enabled', { mode: 'boolean' }),
  challenge: text('challenge').$type<(typeof challengeTypes)[number]>(),
  last_attempt_at: integer('last_attempt_at'),
  last_error: text('last_error'),
  /** When the current series of failures began. */
  failing_since: integer('failing_since'),
  /** Consecutive failures. */
  failures: integer('failures').notNull(),
  next_attempt_at: integer('next_attempt_at'),
  /** A rate limit of the authority. */
  wait_until: integer('wait_until'),
})
export type AutosslRow = typeof autossl.$inferSelect

/** `private_key` is encrypted. */
export const acmeAccounts = sqliteTable('acme_accounts', {
  directory: text('directory').primaryKey(),
  private_key: text('private_key').notNull(),
  created_at: integer('created_at').notNull(),
})

export const challenges = sqliteTable('acme_challenges', {
  domain_id: text('domain_id').notNull(),
  account_id: text('account_id').notNull(),
  /** Null: the response is a file below the site. */
  zone_id: text('zone_id'),
  /** The name of the file, or of the record relative to the zone. */
  name: text('name').notNull(),
  value: text('value').notNull(),
})
