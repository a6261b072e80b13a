import { z } from 'zod'
import { label, topLabel, ulid } from '../shared/patterns.ts'

const idPattern = new RegExp(`^${ulid}$`)

export const isId = (value: unknown): boolean => typeof value === 'string' && idPattern.test(value)

/** A ULID: 26 characters of Crockford's base 32. */
export const Id = z.string().regex(idPattern, 'must be a 26-character ULID')
/** Unix time in milliseconds. */
export const Millis = z.int().min(0)
/** A count or a size; absent means unlimited, 0 means none. */
export const Count = z.int().min(0).max(1_000_000_000)

/** States of account objects besides domains: the name is reserved, and counted, until the delete job has ended. */
export const objectStatuses = ['creating', 'active', 'deleting'] as const
export type ObjectStatus = (typeof objectStatuses)[number]

/** Schemas with a name of their own in the OpenAPI document. */
export const named = z.registry<{ id: string }>()
/** Named schemas, by name. */
export const components = new Map<string, z.ZodType>()

/** Registers a schema under the name it has in `#/components/schemas`. */
export function component<S extends z.ZodType>(id: string, schema: S): S {
  if (components.has(id)) throw new Error(`two schemas are named ${id}`)
  components.set(id, schema)
  named.add(schema, { id })
  return schema
}

export const adminAreas = ['accounts', 'packages', 'server'] as const
export const accountAreas = [
  'domains',
  'dns',
  'email',
  'files',
  'mysql',
  'ssl',
  'ssh',
  'cron',
  'logs',
  'account',
  'webhooks',
  'events',
] as const
export type AdminArea = (typeof adminAreas)[number]
export type AccountArea = (typeof accountAreas)[number]

/** The privileges of a reseller's ACL, with WHM's names. */
export const privileges = {
  'list-accts': 'See its accounts, their status and usage',
  'acct-summary': 'See the summary of an account',
  'create-acct': 'Create accounts',
  'kill-acct': 'Terminate accounts',
  'suspend-acct': 'Suspend and unsuspend accounts',
  'upgrade-account': 'Move accounts to another package',
  passwd: 'Change the passwords of accounts',
  'edit-account': 'Change names, domains, contact and limits of accounts',
  quota: 'Change disk quotas',
  'limit-bandwidth': 'Change bandwidth limits',
  'show-bandwidth': 'See bandwidth',
  'create-user-session': 'Sign in to the panels of its accounts; their webhooks and events',
  'list-pkgs': 'See packages',
  'add-pkg': 'Create packages',
  'edit-pkg': 'Change and delete packages',
  viewglobalpackages: "See and use root's packages",
  'add-pkg-ip': 'Packages with a dedicated IP',
  'add-pkg-shell': 'Packages with shell access',
  'allow-shell': 'Accounts with shell access',
  'allow-unlimited-pkgs':
    'Packages with unlimited values, or with more CPU, memory and processes than the default package',
  'allow-unlimited-disk-pkgs': 'Packages with unlimited disk',
  'allow-unlimited-bw-pkgs': 'Packages with unlimited bandwidth',
  'allow-addoncreate': 'Packages with addon domains',
  'allow-parkedcreate': 'Packages with alias domains',
  'allow-emaillimits-pkgs': 'Packages with their own limit of emails per hour',
  'create-dns': 'Create DNS zones',
  'kill-dns': 'Delete DNS zones',
  'edit-dns': 'Edit DNS zones',
  'park-dns': 'Park domains',
  'manage-dns-records': 'Manage DNS records',
  'edit-mx': 'Edit MX records',
  ssl: 'Install certificates',
  'ssl-gencrt': 'Generate certificates and signing requests',
  'ssl-info': 'See certificates',
  'mysql-info': 'See databases',
  'file-restore': 'Restore files from backups',
  'manage-api-tokens': 'Manage API tokens',
  status: 'See the state of services',
  stats: 'See statistics',
  restart: 'Restart services',
  all: 'Everything a reseller can do',
} as const satisfies Record<string, string>
export type Privilege = keyof typeof privileges
export const privilegeNames = Object.keys(privileges) as [Privilege, ...Privilege[]]

/** The features that a feature list switches for its accounts. */
export const features = {
  api_tokens: 'API tokens, webhooks and the event feed',
  addon_domains: 'Addon domains',
  sub_domains: 'Subdomains',
  parked_domains: 'Alias domains',
  redirects: 'Redirects',
  zone_edit: 'DNS zone editor',
  dnssec: 'DNSSEC',
  change_mx: 'Mail routing',
  pop_accounts: 'Mailboxes',
  forwarders: 'Forwarders',
  default_address: 'Catch-all address',
  autoresponders: 'Autoresponders',
  webmail: 'Webmail',
  spam_filter: 'Spam filter',
  spam_box: 'Spam folder',
  email_filters: 'Mail filters',
  smtp_relay: 'SMTP relays',
  mysql: 'Databases',
  phpmyadmin: 'phpMyAdmin',
  ftp_accounts: 'FTP accounts',
  file_manager: 'File manager',
  ssh: 'SSH access',
  cron: 'Cron jobs',
  ssl_install: 'Own certificates',
  auto_ssl: 'Automatic certificates',
  apps: 'Apps',
  wordpress: 'WordPress',
  backup: 'Backups',
  logs: 'Logs and statistics',
  waf: 'Web application firewall',
  two_factor: 'Two-factor sign-in',
} as const satisfies Record<string, string>
export type Feature = keyof typeof features
export const featureNames = Object.keys(features) as [Feature, ...Feature[]]

/** The name of a package or a list. */
export const Name = z
  .string()
  .min(1)
  .max(64)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 ._-]*$/,
    'must start with a letter or digit and contain only letters, digits, spaces, dots, dashes and underscores',
  )
  .describe('Name')

export const Hostname = z
  .string()
  .max(253)
  .regex(new RegExp(`^(?:${label}\\.)+${topLabel}$`), 'must be a lower-case host name such as ns1.shop.example')

/** The password of a mailbox, database user or FTP login; the handler rejects one that equals the name. */
export const LoginPassword = z
  .string()
  .min(8)
  .max(128)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .describe('8 to 128 characters, without control characters, and not the name itself')

/** The query `q` of a list: part of a name. */
export const search = (what: string) =>
  z.string().max(254).optional().describe(`Part of the ${what}; an exact match comes first`)

/** Query of every paged list (decisions: Conventions). */
export const paging = {
  page: z.int().min(1).max(1_000_000_000).default(1).describe('Page, from 1'),
  per_page: z.int().min(1).max(500).default(50).describe('Items per page, 1 to 500'),
  order: z.enum(['asc', 'desc']).default('asc').describe('Oldest first (asc) or newest first (desc)'),
}

export const Empty = z.strictObject({})

/** `{items}` of a kind. */
export const listOf = <S extends z.ZodType>(item: S) => z.strictObject({ items: z.array(item) })
/** `{items, total}` of a kind. */
export const pageOf = <S extends z.ZodType>(item: S) =>
  z.strictObject({ items: z.array(item), total: z.int().min(0).describe('Matches on all pages') })

/** What can show that a domain is the account's. */
export const verificationMethods = ['ns', 'mx', 'address', 'certificate', 'txt', 'root', 'parent', 'upgrade'] as const
export type VerificationMethod = (typeof verificationMethods)[number]

/** The panels whose accounts can be imported. */
export const importFormats = ['cpanel', 'directadmin', 'hestia'] as const
