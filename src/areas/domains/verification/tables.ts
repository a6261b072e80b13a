import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { VerificationMethod } from '../../../contract/common.ts'

export type PublicRouting = 'local' | 'remote' | 'backup'

/** What public name servers answered about a domain. */
export interface FoundName {
  readonly ns: readonly string[]
  readonly mx: readonly string[]
  readonly addresses: readonly string[]
}

/** One for each main, addon and alias domain; subdomains have that of the domain above. */
export const verifications = sqliteTable('domain_verifications', {
  domain_id: text('domain_id').primaryKey(),
  account_id: text('account_id').notNull(),
  /** Null: not verified. */
  verified_by: text('verified_by').$type<Exclude<VerificationMethod, 'parent'>>(),
  verified_at: integer('verified_at'),
  /** Another account had the name: old delegations may still lead to this server, so only a challenge counts. */
  challenge_only: integer('challenge_only', { mode: 'boolean' }).notNull(),
  /** When its creation's job ended, from which the schedule of looks counts. */
  started_at: integer('started_at'),
  checked_at: integer('checked_at'),
  next_check_at: integer('next_check_at'),
  reason: text('reason').notNull(),
  found: text('found', { mode: 'json' }).$type<FoundName>().notNull(),
  /** Whether its public name servers are this server's; null until they answer. */
  is_delegated: integer('is_delegated', { mode: 'boolean' }),
  /** What its public mail servers say; null until they answer. */
  public_routing: text('public_routing').$type<PublicRouting>(),
  /** Since when looks no longer find what verified it. */
  missing_since: integer('missing_since'),
  /** From when on a notice warns about it. */
  notice_at: integer('notice_at'),
})
export type VerificationRow = typeof verifications.$inferSelect

/** Names that accounts lost by termination. */
export const releasedNames = sqliteTable('released_names', {
  name: text('name').primaryKey(),
  account_id: text('account_id').notNull(),
  released_at: integer('released_at').notNull(),
})

/** Names that are reserved for the account that claimed them. */
export const claimedNames = sqliteTable('claimed_names', {
  name: text('name').primaryKey(),
  account_id: text('account_id').notNull(),
  until: integer('until').notNull(),
})

/** Unverified domains that accounts lost to a claim. */
export const lostNames = sqliteTable('lost_names', {
  domain_id: text('domain_id').primaryKey(),
  name: text('name').notNull(),
  account_id: text('account_id').notNull(),
  lost_at: integer('lost_at').notNull(),
})

/** Accounts that tried to claim another's main domain, which only root can settle. */
export const contestedNames = sqliteTable(
  'contested_names',
  {
    domain_id: text('domain_id').notNull(),
    account_id: text('account_id').notNull(),
    name: text('name').notNull(),
    claimed_at: integer('claimed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.domain_id, table.account_id] })],
)
