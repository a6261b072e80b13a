import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { DomainKind, domainStatuses, redirectMatches, webHandlers } from '../../contract/domains.ts'
import type { AccessRule, SiteRules } from '../../contract/site-rules.ts'

export interface StoredAccessRule extends Omit<AccessRule, 'users'> {
  readonly users?: readonly { readonly name: string; readonly hash: string }[] | undefined
}

/** The rules that were set; of an alias domain `canonical` alone. */
export interface StoredRules extends Omit<SiteRules, 'access' | 'waf'> {
  readonly access?: readonly StoredAccessRule[] | undefined
  readonly waf?: Partial<NonNullable<SiteRules['waf']>> | undefined
  /** Not shown with the rules: they have operations of their own. */
  readonly waf_exceptions?: readonly StoredWafException[] | undefined
}

/** What is no attack at the site. */
export interface StoredWafException {
  readonly id: string
  readonly rule_id: number
  readonly path?: string | undefined
  readonly parameter?: string | undefined
  readonly created_at: number
}

/** The changeable values of a domain's site. */
export interface SiteValues {
  readonly document_root: string | null
  readonly handler: (typeof webHandlers)[number]
  readonly app_id: string | null
  readonly https_redirect: boolean
  readonly rules: StoredRules
}

export const domains = sqliteTable('domains', {
  id: text('id').primaryKey(),
  account_id: text('account_id').notNull(),
  name: text('name').notNull(),
  /** Its labels from last to first, each followed by a dot: subdomains share their parent's prefix. */
  reversed: text('reversed').notNull(),
  kind: text('kind').$type<DomainKind>().notNull(),
  parent_id: text('parent_id'),
  /** Null: its parent's. */
  document_root: text('document_root'),
  handler: text('handler').$type<SiteValues['handler']>().notNull(),
  app_id: text('app_id'),
  https_redirect: integer('https_redirect', { mode: 'boolean' }).notNull(),
  rules: text('rules', { mode: 'json' }).$type<StoredRules>().notNull(),
  /** What was last applied, to be restored if a change fails for good. */
  applied: text('applied', { mode: 'json' }).$type<SiteValues>().notNull(),
  status: text('status').$type<(typeof domainStatuses)[number]>().notNull(),
  created_at: integer('created_at').notNull(),
  updated_at: integer('updated_at').notNull(),
})
export type DomainRow = typeof domains.$inferSelect

/** Values applied by older versions have no rules. */
export const siteValues = ({ document_root, handler, app_id, https_redirect, rules = {} }: SiteValues): SiteValues => ({
  document_root,
  handler,
  app_id,
  https_redirect,
  rules,
})

export const previews = sqliteTable('previews', {
  domain_id: text('domain_id').primaryKey(),
  /** Of 32 letters, before the name of previews. */
  label: text('label').notNull(),
  expires_at: integer('expires_at').notNull(),
})
export type PreviewRow = typeof previews.$inferSelect

/** When a site's `.htaccess` files are looked at; triggers add and renew the rows. */
export const htaccessChecks = sqliteTable('htaccess_checks', {
  domain_id: text('domain_id').primaryKey(),
  next_at: integer('next_at').notNull(),
  /** Since when they have access rules that take no effect. */
  ignored_since: integer('ignored_since'),
})

export const redirects = sqliteTable('redirects', {
  id: text('id').primaryKey(),
  domain_id: text('domain_id').notNull(),
  path: text('path').notNull(),
  match: text('match').$type<(typeof redirectMatches)[number]>().notNull(),
  target: text('target').notNull(),
  status: integer('status').$type<301 | 302 | 307 | 308>().notNull(),
  keep_path: integer('keep_path', { mode: 'boolean' }).notNull(),
  /** Whether it has been applied. */
  applied: integer('applied', { mode: 'boolean' }).notNull(),
  /** Deleted, but not applied yet. */
  removed: integer('removed', { mode: 'boolean' }).notNull(),
  created_at: integer('created_at').notNull(),
})
export type RedirectRow = typeof redirects.$inferSelect
