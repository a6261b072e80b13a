import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { recordKinds } from '../../contract/email/dns.ts'
import type { mtaStsModes } from '../../contract/email/mta-sts.ts'
import type { MailFilter as DeclaredFilter } from '../../contract/email.ts'
import type { relayPorts, relayTls } from '../../contract/relays.ts'

export type MailFilter = z.infer<typeof DeclaredFilter>

export type Routing = 'auto' | 'local' | 'remote' | 'backup'
export type EffectiveRouting = Exclude<Routing, 'auto'>
type Status = 'creating' | 'active' | 'deleting'

/** A record that mail needs, as a check found it. */
export interface FoundRecord {
  readonly kind: (typeof recordKinds)[number]
  readonly name: string
  /** Undefined without a response. */
  readonly found?: readonly string[]
}

export const emailDomains = sqliteTable('email_domains', {
  domain_id: text('domain_id').primaryKey(),
  account_id: text('account_id').notNull(),
  routing: text('routing').$type<Routing>().notNull(),
  /** The routing last applied, which a zone's change can alter. */
  told_routing: text('told_routing').$type<EffectiveRouting>().notNull(),
  /** The catch-all address; null: other mail is refused. */
  catch_all: text('catch_all'),
  dkim: integer('dkim', { mode: 'boolean' }).notNull(),
  /** The last check of its records. */
  checked: text('checked', { mode: 'json' }).$type<{
    readonly at: number
    readonly records: readonly FoundRecord[]
  } | null>(),
  /** Since when checks find records that differ from what mail needs. */
  differs_since: integer('differs_since'),
  created_at: integer('created_at').notNull(),
})
export type EmailDomainRow = typeof emailDomains.$inferSelect

/** A domain's MTA-STS policy; `none` is served until `ends_at`. */
export const mtaSts = sqliteTable('email_mta_sts', {
  domain_id: text('domain_id').primaryKey(),
  account_id: text('account_id').notNull(),
  mode: text('mode').$type<(typeof mtaStsModes)[number]>().notNull(),
  /** Rises with each change. */
  policy_id: integer('policy_id').notNull(),
  mx: text('mx', { mode: 'json' }).$type<readonly string[]>().notNull(),
  /** The zone's mail servers may differ from `mx`. */
  is_stale: integer('is_stale', { mode: 'boolean' }).notNull(),
  ends_at: integer('ends_at'),
  created_at: integer('created_at').notNull(),
})
export type MtaStsRow = typeof mtaSts.$inferSelect

/** The relay that a customer has set for a domain; `password` is encrypted. */
export const domainRelays = sqliteTable('email_relays', {
  domain_id: text('domain_id').primaryKey(),
  account_id: text('account_id').notNull(),
  host: text('host').notNull(),
  port: integer('port').$type<(typeof relayPorts)[number]>().notNull(),
  tls: text('tls').$type<(typeof relayTls)[number]>().notNull(),
  username: text('username'),
  password: text('password'),
  /** Null: it is not used yet. */
  checked_at: integer('checked_at'),
  /** Since when its addresses are not public. */
  refused_since: integer('refused_since'),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type DomainRelayRow = typeof domainRelays.$inferSelect

/** DKIM keys; `private_key` is encrypted, `public_key` base64 of its DER. */
export const emailKeys = sqliteTable('email_keys', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  domain_id: text('domain_id').notNull(),
  /** Its selector is `panel` followed by this. */
  number: integer('number').notNull(),
  private_key: text('private_key').notNull(),
  public_key: text('public_key').notNull(),
  /** Since when it no longer signs. */
  retired_at: integer('retired_at'),
  created_at: integer('created_at').notNull(),
})
export type EmailKeyRow = typeof emailKeys.$inferSelect

export const mailboxes = sqliteTable('email_mailboxes', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  domain_id: text('domain_id').notNull(),
  local: text('local').notNull(),
  hash: text('hash').notNull(),
  password_changed_at: integer('password_changed_at').notNull(),
  quota_mb: integer('quota_mb'),
  max_per_hour: integer('max_per_hour'),
  suspended_login: integer('suspended_login', { mode: 'boolean' }).notNull(),
  suspended_outgoing: integer('suspended_outgoing', { mode: 'boolean' }).notNull(),
  suspended_incoming: integer('suspended_incoming', { mode: 'boolean' }).notNull(),
  used_bytes: integer('used_bytes').notNull(),
  messages: integer('messages').notNull(),
  /** Since when 80, 95 or 100 % of the quota are used; kept by a trigger. */
  near_since: integer('near_since'),
  /** The step that is reached, or 0; kept by triggers. */
  near_step: integer('near_step').notNull().default(0),
  measured_at: integer('measured_at').notNull(),
  status: text('status').$type<Status>().notNull(),
  created_at: integer('created_at').notNull(),
})
export type MailboxRow = typeof mailboxes.$inferSelect

export const autoresponders = sqliteTable('email_autoresponders', {
  mailbox_id: text('mailbox_id').primaryKey(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  subject: text('subject').notNull(),
  body: text('body').notNull(),
  starts_on: text('starts_on'),
  ends_on: text('ends_on'),
  interval_days: integer('interval_days').notNull(),
  created_at: integer('created_at').notNull(),
})
export type AutoresponderRow = typeof autoresponders.$inferSelect

export const mailFilters = sqliteTable('email_filters', {
  mailbox_id: text('mailbox_id').primaryKey(),
  filters: text('filters', { mode: 'json' }).$type<readonly MailFilter[]>().notNull(),
})

export const forwarders = sqliteTable('email_forwarders', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  domain_id: text('domain_id').notNull(),
  local: text('local').notNull(),
  destinations: text('destinations', { mode: 'json' }).$type<readonly string[]>().notNull(),
  keep_copy: integer('keep_copy', { mode: 'boolean' }).notNull(),
  status: text('status').$type<Status>().notNull(),
  created_at: integer('created_at').notNull(),
})
export type ForwarderRow = typeof forwarders.$inferSelect

export const emailAccounts = sqliteTable('email_accounts', {
  account_id: text('account_id').primaryKey(),
  spam_score: integer('spam_score').notNull(),
  sent_this_hour: integer('sent_this_hour').notNull(),
  measured_at: integer('measured_at').notNull(),
})
export type EmailAccountRow = typeof emailAccounts.$inferSelect

/** Objects whose mail comes back to them, through any accounts. */
export const mailLoops = sqliteTable('mail_loops', {
  object_id: text('object_id').primaryKey(),
  account_id: text('account_id').notNull(),
  via: text('via').$type<'forwarder' | 'filter' | 'catch-all' | 'contact'>().notNull(),
  /** The account's own address on the loop. */
  address: text('address').notNull(),
  /** Where the object sends that address's mail. */
  next: text('next').notNull(),
  since: integer('since').notNull(),
})
export type MailLoopRow = typeof mailLoops.$inferSelect

/** Its only row counts the changes of mail routes, and says up to which of them loops were looked for. */
export const mailRoutes = sqliteTable('mail_routes', {
  id: integer('id').primaryKey(),
  changed: integer('changed').notNull(),
  checked: integer('checked').notNull(),
})
