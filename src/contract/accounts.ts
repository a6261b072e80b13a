import { z } from 'zod'
import { Count, component, featureNames, Id, listOf, Millis, pageOf, paging, search } from './common.ts'
import { NodeName } from './node-names.ts'
import { operation } from './operation.ts'

export const accountStatuses = ['provisioning', 'importing', 'active', 'suspended', 'terminating'] as const
export const mailRoutings = ['auto', 'local', 'remote', 'backup'] as const
export const noShell = '/usr/sbin/nologin'
export const shells = [noShell, '/bin/bash', '/bin/sh'] as const
export const locales = ['en', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'ru', 'tr', 'uk', 'zh'] as const
export const themes = ['default', 'dark', 'light'] as const

export const Shell = z.enum(shells).describe('Login shell')
export const Theme = z.enum(themes).describe("Theme of the customer's panel")
export const Locale = z
  .enum(locales)
  .describe("Language of the customer's panel; its pages are in English and German so far")

/** Numeric limits an account takes from its package. */
export const limits = {
  bw_limit_mb: Count.describe('Bandwidth a month, in MB'),
  disk_quota_mb: Count.describe('Disk space, in MB'),
  default_email_quota_mb: Count.describe('Quota of a new mailbox, in MB'),
  max_email_quota_mb: Count.describe('Largest quota of a mailbox, in MB'),
  max_addon: Count.describe('Addon domains'),
  max_email: Count.describe('Mailboxes'),
  max_email_per_hour: Count.describe('Emails sent in an hour'),
  max_ftp: Count.describe('FTP accounts'),
  max_parked: Count.describe('Alias domains'),
  max_sql: Count.describe('Databases'),
  max_sub: Count.describe('Subdomains'),
  php_max_children: Count.describe('PHP processes at a time'),
} as const
export type Limit = keyof typeof limits | 'inodes_limit'
export const limitNames = [...(Object.keys(limits) as (keyof typeof limits)[]), 'inodes_limit'] as const

type Optional<T extends Record<string, z.ZodType>> = { [K in keyof T]: z.ZodOptional<T[K]> }
/** Makes every schema of the record optional. */
export const optional = <T extends Record<string, z.ZodType>>(shape: T): Optional<T> =>
  Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, schema.optional()])) as Optional<T>

type Clearable<T extends Record<string, z.ZodType>> = { [K in keyof T]: z.ZodOptional<z.ZodNullable<T[K]>> }
/** Makes every schema of the record optional, with null for unlimited. */
export const clearable = <T extends Record<string, z.ZodType>>(shape: T): Clearable<T> =>
  Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, schema.nullable().optional()])) as Clearable<T>

/** A hosting account (contract: StoreAccount). Sizes in MB unless the name says bytes; an absent limit is unlimited. */
export const Account = component(
  'Account',
  z.strictObject({
    id: Id,
    username: z.string(),
    main_domain: z.string(),
    status: z.enum(accountStatuses),
    contact_email: z.string().describe('Empty when none is known'),
    created_at: Millis,
    package_id: Id,
    package_name: z.string(),
    owner_id: Id,
    owner_name: z.string(),
    feature_list_id: Id,
    ip_id: Id,
    ip_address: z.string(),
    ip6_id: Id.optional(),
    ip6_address: z.string().optional().describe('Its IPv6 address, beside one of IPv4'),
    home_dir: z.string(),
    shell: z.string(),
    theme: z.string(),
    locale: z.string(),
    uid: z.int(),
    node: z.string().optional().describe("Where it is not on the control plane's own node"),
    mail_node: z.string().optional().describe('Node that keeps its mail, likewise'),
    database_node: z.string().optional().describe('Node that keeps its databases, likewise'),
    cgi: z.boolean(),
    is_reseller: z.boolean().describe('Whether it is a reseller now'),
    make_reseller: z.boolean().describe('Whether that was asked at creation'),
    bw_exceeded: z.boolean(),
    bw_used_month_mb: z.int(),
    db_count: z.int(),
    db_used_bytes: z.int(),
    db_prefix: z.string(),
    disk_used_mb: z.int(),
    inodes_used: z.int(),
    suspend_locked: z.boolean().describe('Only root can unsuspend it'),
    suspend_reason: z.string(),
    suspended_at: Millis.optional(),
    suspended_by: z.string().optional(),
    ...optional(limits),
    inodes_limit: Count.optional().describe('Files and directories'),
  }),
)

const accountGroups = [
  {
    fields: ['suspend_reason', 'suspended_at', 'suspended_by', 'contact_email'],
    left: ['make_reseller', 'bw_exceeded', 'db_used_bytes', 'theme'],
  },
  {
    heading: 'usage',
    usage: [
      { name: 'disk', used: 'disk_used_mb', limit: 'disk_quota_mb', unit: 'MB' },
      { name: 'bandwidth this month', used: 'bw_used_month_mb', limit: 'bw_limit_mb', unit: 'MB' },
      { name: 'files and directories', used: 'inodes_used', limit: 'inodes_limit' },
      { name: 'databases', used: 'db_count', limit: 'max_sql' },
    ],
  },
  {
    heading: 'limits',
    fields: [
      'max_email',
      'max_email_per_hour',
      'default_email_quota_mb',
      'max_email_quota_mb',
      'max_ftp',
      'max_addon',
      'max_sub',
      'max_parked',
      'php_max_children',
    ],
  },
] as const

const params = z.strictObject({ id: Id.describe('The account') })
/** The 202 response to a change with a job. */
export const Accepted = component(
  'AccountAccepted',
  z.strictObject({ account: Account, job_id: Id.describe('The job that applies the change') }),
)

const Username = z.string().min(1).max(64).describe('2 to 16 lower-case letters and digits, beginning with a letter')
const DomainName = z.string().min(1).max(253).describe('Main domain, such as shop.example; in Unicode or ASCII form')
const Password = z.string().min(8).max(128).describe('Panel password, 8 to 128 characters')
const Email = z.union([z.literal(''), z.email().max(254)]).describe('Where to write to the owner')

export const CreateAccount = component(
  'CreateAccount',
  z.strictObject({
    username: Username,
    domain: DomainName,
    password: Password.optional(),
    contact_email: Email.optional(),
    package_id: Id.optional().describe('Limits and features it gets; without one, those of the package `default`'),
    owner_id: Id.optional().describe('Owner: root or a reseller; the caller by default'),
    ip_id: Id.optional().describe('IP address; the main one by default'),
    ip6_id: Id.optional().describe('IPv6 address, beside an IPv4 one; none by default'),
    locale: Locale.optional(),
    shell: Shell.optional(),
    mail_routing: z.enum(mailRoutings).optional().describe('Where mail for the domain goes'),
    node: NodeName.optional().describe('Node it goes to, for root alone; the one with the fewest accounts by default'),
    mail_node: NodeName.optional().describe('Node that keeps its mail: the same one'),
    database_node: NodeName.optional().describe('Node that keeps its databases: the same one'),
    cgi: z.boolean().optional().describe("CGI scripts (default: the package's)"),
    make_reseller: z.boolean().optional().describe('Make it a reseller'),
    owns_itself: z.boolean().optional().describe('The new reseller owns its own account; needs make_reseller'),
    spam_box: z.boolean().optional().describe('Spam folder (default: true)'),
    spam_filter: z.boolean().optional().describe('Spam filter (default: true)'),
  }),
)

export const listAccounts = operation({
  id: 'listAccounts',
  method: 'get',
  path: '/accounts',
  area: 'accounts',
  summary: 'List accounts',
  query: z.strictObject({
    ...paging,
    status: z.enum(accountStatuses).optional().describe('Only accounts in this status'),
    package_id: Id.optional().describe('Only accounts of this package'),
    owner_id: Id.optional().describe('Only accounts of this owner'),
    node: NodeName.optional().describe('Only accounts on this node'),
    over_quota: z.boolean().optional().describe('Only accounts that use more disk space than they may, or only others'),
    domain: z.string().max(254).optional().describe('Part of the main domain'),
    sort: z
      .enum(['username', 'created_at', 'disk_used_mb', 'bw_used_month_mb'])
      .optional()
      .describe('created_at by default; an exact match comes first only where neither this nor `after` is given'),
    after: z
      .string()
      .max(64)
      .optional()
      .describe('Only accounts after this one: its id, or its username when sorted by username; instead of `page`'),
    q: search('username'),
    search: z.string().max(254).optional().describe('Part of the username, the contact address, a domain or a mailbox'),
  }),
  status: 200,
  answer: pageOf(Account),
  allow: { reseller: 'list-accts' },
  token: { admin: ['accounts'], account: 'none' },
  cli: {
    words: ['accounts', 'list'],
    columns: ['username', 'main_domain', 'package_name', 'owner_name', 'status', 'disk_used_mb', 'created_at'],
    examples: [
      'panel accounts list',
      'panel accounts list --search ali --output json',
      'panel accounts list --package default --over-quota',
    ],
  },
})

export const createAccount = operation({
  id: 'createAccount',
  method: 'post',
  path: '/accounts',
  area: 'accounts',
  summary: 'Create an account',
  description:
    'The account exists at once with status `provisioning`; the job makes it on the host. If creation fails permanently, the account is removed and its names are free again.',
  body: CreateAccount,
  status: 202,
  answer: Accepted,
  allow: { reseller: 'create-acct' },
  token: { admin: ['accounts'], account: 'none' },
  job: 'account.create',
  emits: ['account.created', 'reseller.created', 'job.completed', 'job.failed'],
  problems: ['limit-reached', 'too-many', 'not-configured'],
  cli: {
    words: ['accounts', 'create'],
    args: ['username'],
    columns: ['username', 'main_domain', 'package_name', 'status'],
    show: 'account',
    check: 'checkAccount',
    unless: {
      password: 'It has no password: only sign-in links work. To set one: panel accounts set-password {username}',
    },
    examples: [
      'panel accounts create alice --domain alice.example',
      'panel accounts create alice --domain alice.example --package default --contact-email alice@example.com --password-stdin',
    ],
  },
})

const Freedom = z.strictObject({
  available: z.boolean(),
  reason: z.string().optional().describe('Why it is not available'),
})

export const checkAccount = operation({
  id: 'checkAccount',
  method: 'get',
  path: '/accounts-check',
  area: 'accounts',
  summary: 'Check whether a username and a domain are free',
  query: z.strictObject({
    username: z.string().max(64).optional().describe('Username to check'),
    domain: z.string().max(253).optional().describe('Domain to check'),
  }),
  status: 200,
  answer: component('AccountCheck', z.strictObject({ username: Freedom.optional(), domain: Freedom.optional() })),
  allow: { reseller: 'create-acct' },
  token: { admin: ['accounts'], account: 'none' },
  cli: {
    words: ['accounts', 'check'],
    args: ['username'],
    columns: ['username.available', 'username.reason', 'domain.available', 'domain.reason'],
    examples: ['panel accounts check alice --domain alice.example'],
  },
})

export const getAccount = operation({
  id: 'getAccount',
  method: 'get',
  path: '/accounts/{id}',
  area: 'accounts',
  summary: 'Show an account',
  params,
  status: 200,
  answer: Account,
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'account' },
  cli: {
    words: ['accounts', 'show'],
    columns: ['username', 'main_domain', 'package_name', 'owner_name', 'status', 'disk_used_mb', 'created_at'],
    groups: accountGroups,
    examples: ['panel accounts show alice'],
  },
})

export const updateAccount = operation({
  id: 'updateAccount',
  method: 'patch',
  path: '/accounts/{id}',
  area: 'accounts',
  summary: "Change an account's names, contact, settings or limits",
  description:
    'A customer may change contact_email, theme and locale only. A null limit is unlimited. Links for a forgotten password go to a new contact_email only if the caller may also set the password: not a token of the account, and its own session only while the password is confirmed.',
  params,
  body: component(
    'UpdateAccount',
    z.strictObject({
      username: Username.optional(),
      domain: DomainName.optional(),
      contact_email: Email.optional(),
      theme: Theme.optional(),
      locale: Locale.optional(),
      shell: Shell.optional(),
      cgi: z.boolean().optional().describe('CGI scripts'),
      ip_id: Id.optional().describe('IP address'),
      ip6_id: Id.nullable().optional().describe('IPv6 address, beside an IPv4 one; null takes it away'),
      ...clearable(limits),
      inodes_limit: Count.nullable().optional().describe('Files and directories'),
    }),
  ),
  status: 202,
  answer: Accepted,
  allow: { reseller: 'edit-account', customer: true },
  token: { admin: ['accounts'], account: 'account' },
  job: 'account.update',
  emits: [
    'account.renamed',
    'account.domain_changed',
    'ssl.uninstalled',
    'account.limits_changed',
    'dns.record.created',
    'dns.record.updated',
    'dns.record.deleted',
    'job.completed',
    'job.failed',
  ],
  problems: ['limit-reached'],
  cli: {
    words: ['accounts', 'update'],
    columns: ['username', 'main_domain', 'package_name', 'status'],
    show: 'account',
    examples: [
      'panel accounts update alice --contact-email alice@example.com',
      'panel accounts update alice --disk-quota-mb 5000',
    ],
  },
})

const figure = (what: string) =>
  z.strictObject({ used: z.int().min(0), limit: Count.optional().describe('Absent: unlimited') }).describe(what)

/** What is counted per account, with its limit. */
export const counted = {
  databases: 'max_sql',
  email_accounts: 'max_email',
  ftp_accounts: 'max_ftp',
  addon_domains: 'max_addon',
  sub_domains: 'max_sub',
  parked_domains: 'max_parked',
} as const satisfies Record<string, Limit>
export type CountName = keyof typeof counted

export const Usage = component(
  'AccountUsage',
  z.strictObject({
    measured_at: Millis.describe('When disk, inodes and bandwidth were measured'),
    at_least: z
      .literal(true)
      .optional()
      .describe('The home is too large to measure completely: `disk_mb` and `inodes` are lower bounds'),
    disk_mb: figure('Disk space, in MB'),
    inodes: figure('Files and directories'),
    bandwidth_mb: figure('Bandwidth this month, in MB'),
    databases: figure('Databases'),
    email_accounts: figure('Mailboxes'),
    ftp_accounts: figure('FTP accounts'),
    addon_domains: figure('Addon domains'),
    sub_domains: figure('Subdomains'),
    parked_domains: figure('Alias domains'),
  }),
)

const usageLines = [
  { name: 'disk', used: 'disk_mb.used', limit: 'disk_mb.limit', unit: 'MB' },
  { name: 'bandwidth this month', used: 'bandwidth_mb.used', limit: 'bandwidth_mb.limit', unit: 'MB' },
  { name: 'files and directories', used: 'inodes.used', limit: 'inodes.limit' },
  ...Object.keys(counted).map((name) => ({
    name: name.replace('_', ' '),
    used: `${name}.used`,
    limit: `${name}.limit`,
  })),
] as const

const AccountFeature = component(
  'AccountFeature',
  z.strictObject({
    name: z.enum(featureNames),
    enabled: z.boolean().describe('By the feature list of its package'),
    available: z.literal(false).optional().describe("What it needs is not set up on the account's host"),
  }),
)

export const getAccountFeatures = operation({
  id: 'getAccountFeatures',
  method: 'get',
  path: '/accounts/{id}/features',
  area: 'accounts',
  summary: 'Show which features are on for an account',
  params,
  status: 200,
  answer: listOf(AccountFeature),
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'account' },
  cli: {
    words: ['accounts', 'features'],
    columns: ['name', 'enabled', 'available'],
    examples: ['panel accounts features alice'],
  },
})

export const getAccountUsage = operation({
  id: 'getAccountUsage',
  method: 'get',
  path: '/accounts/{id}/usage',
  area: 'accounts',
  summary: 'Show what an account uses of its limits',
  params,
  status: 200,
  answer: Usage,
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'account' },
  cli: {
    words: ['accounts', 'usage'],
    columns: [
      'disk_mb.used',
      'disk_mb.limit',
      'inodes.used',
      'inodes.limit',
      'bandwidth_mb.used',
      'bandwidth_mb.limit',
      'databases.used',
      'email_accounts.used',
      'at_least',
      'measured_at',
    ],
    groups: [{ heading: 'usage', usage: usageLines }],
    examples: ['panel accounts usage alice'],
  },
})

export const suspendAccount = operation({
  id: 'suspendAccount',
  method: 'post',
  path: '/accounts/{id}/suspend',
  area: 'accounts',
  summary: 'Suspend an account',
  description:
    'Suspending a suspended account updates reason and lock. Only root can set `lock`; then only root can unsuspend.',
  params,
  body: component(
    'SuspendAccount',
    z.strictObject({
      reason: z.string().max(500).optional().describe('The reason, which the customer and support staff read'),
      lock: z.boolean().optional().describe('Only root can unsuspend'),
    }),
  ),
  status: 202,
  answer: Accepted,
  allow: { reseller: 'suspend-acct' },
  token: { admin: ['accounts'], account: 'none' },
  job: 'account.suspend',
  importing: 'allowed',
  emits: ['account.suspended', 'job.completed', 'job.failed'],
  cli: {
    words: ['accounts', 'suspend'],
    columns: ['username', 'status', 'suspend_reason'],
    show: 'account',
    examples: ['panel accounts suspend alice --reason unpaid'],
  },
})

export const unsuspendAccount = operation({
  id: 'unsuspendAccount',
  method: 'post',
  path: '/accounts/{id}/unsuspend',
  area: 'accounts',
  summary: 'Unsuspend an account',
  description: 'Unsuspending an active account is a job that succeeds at once, without an event.',
  params,
  status: 202,
  answer: Accepted,
  allow: { reseller: 'suspend-acct' },
  token: { admin: ['accounts'], account: 'none' },
  job: 'account.unsuspend',
  importing: 'allowed',
  emits: ['account.unsuspended', 'job.completed', 'job.failed'],
  problems: ['suspend-locked'],
  cli: {
    words: ['accounts', 'unsuspend'],
    columns: ['username', 'status'],
    show: 'account',
    examples: ['panel accounts unsuspend alice'],
  },
})

export const terminateAccount = operation({
  id: 'terminateAccount',
  method: 'delete',
  path: '/accounts/{id}',
  area: 'accounts',
  summary: 'Terminate an account and remove it from the host',
  description:
    'Its tokens, sessions, links and webhooks end immediately. While the account is terminating, the same request returns the running job. If the setting `final_backup_days` is not 0, a backup is made first; if that fails, the account stays.',
  params,
  query: z.strictObject({
    confirm: z.string().max(64).optional().describe("The account's username, to confirm"),
    final_backup: z
      .boolean()
      .optional()
      .describe('Whether to make the final backup that the server is set to keep; true by default'),
  }),
  status: 202,
  answer: Accepted,
  allow: { reseller: 'kill-acct' },
  token: { admin: ['accounts'], account: 'none' },
  job: 'account.terminate',
  emits: ['account.terminated', 'reseller.removed', 'job.completed', 'job.failed'],
  problems: ['in-use'],
  terminating: 'allowed',
  importing: 'allowed',
  cli: {
    words: ['accounts', 'terminate'],
    columns: ['username', 'main_domain', 'status'],
    show: 'account',
    confirm: 'name',
    examples: ['panel accounts terminate alice', 'panel accounts terminate alice --yes'],
  },
})

export const changeAccountPackage = operation({
  id: 'changeAccountPackage',
  method: 'put',
  path: '/accounts/{id}/package',
  area: 'accounts',
  summary: 'Move an account to another package',
  description:
    'Counts above the new maximum are kept and only block new objects. The change is refused if disk or inodes in use exceed the new quota.',
  params,
  body: component('ChangePackage', z.strictObject({ package_id: Id.describe('Package to move it to') })),
  status: 202,
  answer: Accepted,
  allow: { reseller: 'upgrade-account' },
  token: { admin: ['accounts'], account: 'none' },
  job: 'account.change_package',
  emits: ['account.package_changed', 'job.completed', 'job.failed'],
  problems: ['limit-reached'],
  cli: {
    words: ['accounts', 'set-package'],
    args: ['id', 'package_id'],
    columns: ['username', 'package_name', 'status'],
    show: 'account',
    examples: ['panel accounts set-package alice large', 'panel accounts set-package alice --package large'],
  },
})

export const changeAccountPassword = operation({
  id: 'changeAccountPassword',
  secret: true,
  method: 'post',
  path: '/accounts/{id}/password',
  area: 'accounts',
  summary: "Change an account's password",
  description:
    'Its other sessions end; its tokens stay valid. Works while the account is provisioning, but not while it is terminating. To change your own password, also send the current one; the new one must differ.',
  params,
  body: component(
    'ChangePassword',
    z.strictObject({
      current_password: z.string().min(1).max(128).optional().describe('Current password; needed to change your own'),
      new_password: Password,
    }),
  ),
  status: 204,
  ownerOnly: true,
  sensitive: 'own',
  restricted: 'allowed',
  allow: { reseller: 'passwd', customer: true },
  token: { admin: ['accounts'], account: 'none' },
  emits: ['account.password_changed'],
  problems: ['rate-limited'],
  cli: {
    words: ['accounts', 'set-password'],
    examples: ['panel accounts set-password alice', 'panel accounts set-password alice --password-stdin'],
  },
})
