import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Transport } from '../../contract/passkeys.ts'

/** Only the SHA-256 of a cookie is stored. */
export const sessions = sqliteTable('sessions', {
  id: text('id').primaryKey(),
  hash: text('hash').notNull(),
  panel: text('panel').$type<'admin' | 'user'>().notNull(),
  principal_type: text('principal_type').$type<'root' | 'reseller' | 'account'>().notNull(),
  principal_id: text('principal_id').notNull(),
  via: text('via').$type<'panel' | 'sso'>().notNull(),
  acting_as_id: text('acting_as_id'),
  acting_as_name: text('acting_as_name'),
  /** Who created its link, and with what: the session ends when they lose the right. */
  maker_id: text('maker_id'),
  maker_token_id: text('maker_token_id'),
  maker_session_id: text('maker_session_id'),
  /** When the password was last confirmed in it. */
  confirmed_at: integer('confirmed_at'),
  /** Its link was opened while someone else was signed in. */
  switched: integer('switched', { mode: 'boolean' }).notNull().default(false),
  mfa_pending: integer('mfa_pending', { mode: 'boolean' }).notNull(),
  address: text('address'),
  user_agent: text('user_agent'),
  created_at: integer('created_at').notNull(),
  last_seen_at: integer('last_seen_at').notNull(),
  expires_at: integer('expires_at').notNull(),
  /** Ended early. Its cookie is remembered for a day. */
  ended_at: integer('ended_at'),
})
export type SessionRow = typeof sessions.$inferSelect

/** The secret of an authenticator app is encrypted. */
export const twoFactor = sqliteTable('two_factor', {
  principal_id: text('principal_id').primaryKey(),
  secret: text('secret').notNull(),
  enabled_at: integer('enabled_at'),
  /** The time step of the last accepted code: a code works once. */
  last_step: integer('last_step').notNull().default(0),
})

/** Of any second factor: their SHA-256 hashes, encrypted. */
export const recoveryCodes = sqliteTable('recovery_codes', {
  principal_id: text('principal_id').primaryKey(),
  codes: text('codes', { mode: 'json' }).$type<string[]>().notNull(),
})

export const passkeys = sqliteTable('passkeys', {
  id: text('id').primaryKey(),
  principal_id: text('principal_id').notNull(),
  /** The host name that it works on. */
  rp_id: text('rp_id').notNull(),
  credential_id: text('credential_id').notNull(),
  public_key: text('public_key').notNull(),
  /** Of its last signature; passkeys that are synced have none and stay at 0. */
  counter: integer('counter').notNull(),
  transports: text('transports', { mode: 'json' }).$type<Transport[]>().notNull(),
  name: text('name').notNull(),
  synced: integer('synced', { mode: 'boolean' }).notNull(),
  created_at: integer('created_at').notNull(),
  last_used_at: integer('last_used_at'),
})
export type PasskeyRow = typeof passkeys.$inferSelect

/** Challenges are signed, not stored; each works once. */
export const usedChallenges = sqliteTable('used_challenges', {
  hash: text('hash').primaryKey(),
  expires_at: integer('expires_at').notNull(),
})

export const signInAttempts = sqliteTable('sign_in_attempts', {
  id: text('id').primaryKey(),
  who: text('who').notNull(),
  address: text('address').notNull(),
  /** The IPv6 /48; null for IPv4. */
  site: text('site'),
  /** Whether it was a second factor's code. */
  code: integer('code', { mode: 'boolean' }).notNull().default(false),
  at: integer('at').notNull(),
})

export const knownAddresses = sqliteTable(
  'known_addresses',
  { who: text('who').notNull(), address: text('address').notNull(), at: integer('at').notNull() },
  (table) => [primaryKey({ columns: [table.who, table.address] })],
)

/** Links by which a forgotten password is replaced. */
export const passwordResets = sqliteTable('password_resets', {
  id: text('id').primaryKey(),
  hash: text('hash').notNull(),
  /** The account, or root. */
  principal_id: text('principal_id').notNull(),
  /** Where it was sent to. */
  address: text('address').notNull(),
  /** When the password that it replaces was set. */
  set_at: integer('set_at'),
  created_at: integer('created_at').notNull(),
  expires_at: integer('expires_at').notNull(),
})

/** Where links go while the contact address was set by somebody who may not set the password. */
export const resetAddresses = sqliteTable('reset_addresses', {
  /** The account, or root. */
  principal_id: text('principal_id').primaryKey(),
  /** Empty: nowhere. */
  address: text('address').notNull(),
})
