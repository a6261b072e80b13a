import { z } from 'zod'
import { clearable, Locale, limits, optional, Shell, Theme } from './accounts.ts'
import { backupRhythms } from './backups.ts'
import { Count, component, Id, Millis, Name, type Privilege, pageOf, paging, search } from './common.ts'
import { LetterKinds } from './email-templates.ts'
import { NodeLabel } from './node-names.ts'
import { operation } from './operation.ts'

const isolation = {
  cpu_pct: Count.describe('CPU, in percent of one core'),
  ep: Count.describe('Requests served at a time'),
  inodes: Count.describe('Files and directories'),
  io_mbps: Count.describe('Disk throughput, in MB a second'),
  iops: Count.describe('Disk operations a second'),
  mem_mb: Count.describe('Memory, in MB'),
  nproc: Count.describe('Processes'),
}
const Isolation = component('Isolation', z.strictObject(optional(isolation)))
const settings = {
  theme: Theme,
  shell: Shell,
  locale: Locale,
  feature_list_id: Id.describe('Feature list'),
  cgi: z.boolean().describe('CGI scripts (default: true)'),
  dedicated_ip: z.boolean().describe('An IP address of its own'),
  digest_auth: z.boolean().describe('Digest authentication for web disks'),
  backup_schedule: z.enum(backupRhythms).describe('How often backups of its accounts are made'),
  backup_keep: z.int().min(1).max(60).describe('How many complete scheduled backups of each account are kept'),
}
/** Read on use: accounts have no such limit of their own. */
const atUse = {
  max_backups: Count.describe('Manual backups that an account can have; 100 by default'),
  max_apps: Count.describe('Apps that an account can have; 50 if not set'),
  php_memory_max_mb: Count.describe('Largest memory of a PHP script that a domain may set, in MB; 512 if not set'),
  php_execution_max_s: Count.describe('Longest a PHP script may run, in seconds; 300 if not set'),
  php_upload_max_mb: Count.describe('Largest file that a domain may let visitors upload, in MB; 1,024 if not set'),
}

const NodeLabels = z
  .array(NodeLabel)
  .min(1)
  .max(16)
  .describe('Labels that the node of its accounts must carry; only root can ask for them')

const Letters = LetterKinds.describe('Emails that its accounts get besides those of the setting `customer_emails`')

/** The limits that a reseller sets freely only with one of these privileges, and what is possible without. */
export const limitPrivileges = {
  disk_quota_mb: { without: 'number', anyOf: ['allow-unlimited-disk-pkgs', 'allow-unlimited-pkgs'] },
  bw_limit_mb: { without: 'number', anyOf: ['allow-unlimited-bw-pkgs', 'allow-unlimited-pkgs'] },
  max_addon: { without: 'zero', anyOf: ['allow-addoncreate'] },
  max_parked: { without: 'zero', anyOf: ['allow-parkedcreate'] },
  max_email_per_hour: { without: 'unset', anyOf: ['allow-emaillimits-pkgs'] },
} as const satisfies Readonly<
  Record<string, { readonly without: 'number' | 'zero' | 'unset'; readonly anyOf: readonly Privilege[] }>
>

/** A plan with limits (contract: PackageReq). An absent number is unlimited, 0 is none. */
export const Package = component(
  'Package',
  z.strictObject({
    id: Id,
    name: z.string(),
    owner: z.string().describe('Username of the owner, or root'),
    owner_id: Id,
    feature_list_name: z.string(),
    account_count: z.int().min(0),
    created_at: Millis,
    updated_at: Millis,
    ...settings,
    ...optional(limits),
    ...optional(atUse),
    isolation: Isolation.optional(),
    letters: Letters.optional(),
    node_labels: NodeLabels.optional(),
  }),
)

const params = z.strictObject({ id: Id.describe('The package') })
const columns = ['name', 'owner', 'disk_quota_mb', 'bw_limit_mb', 'max_email', 'max_sql', 'account_count'] as const

export const listPackages = operation({
  id: 'listPackages',
  method: 'get',
  path: '/packages',
  area: 'packages',
  summary: 'List packages',
  query: z.strictObject({
    ...paging,
    q: search('name'),
  }),
  status: 200,
  answer: pageOf(Package),
  allow: { reseller: 'list-pkgs' },
  token: { admin: ['packages'], account: 'none' },
  cli: { words: ['packages', 'list'], columns, examples: ['panel packages list'] },
})

export const createPackage = operation({
  id: 'createPackage',
  method: 'post',
  path: '/packages',
  area: 'packages',
  summary: 'Create a package',
  body: component(
    'CreatePackage',
    z.strictObject({
      name: Name,
      ...optional(settings),
      ...optional(limits),
      ...optional(atUse),
      isolation: Isolation.optional(),
      letters: Letters.optional(),
      node_labels: NodeLabels.optional(),
    }),
  ),
  status: 201,
  answer: Package,
  allow: { reseller: 'add-pkg' },
  token: { admin: ['packages'], account: 'none' },
  emits: ['package.created'],
  problems: ['exists', 'limit-reached'],
  cli: {
    words: ['packages', 'create'],
    args: ['name'],
    columns,
    examples: ['panel packages create small --disk-quota-mb 1000 --max-email 10'],
  },
})

export const getPackage = operation({
  id: 'getPackage',
  method: 'get',
  path: '/packages/{id}',
  area: 'packages',
  summary: 'Show a package',
  params,
  status: 200,
  answer: Package,
  allow: { reseller: 'list-pkgs' },
  token: { admin: ['packages'], account: 'none' },
  cli: { words: ['packages', 'show'], columns, examples: ['panel packages show default'] },
})

export const updatePackage = operation({
  id: 'updatePackage',
  method: 'patch',
  path: '/packages/{id}',
  area: 'packages',
  summary: 'Change a package',
  description:
    'A job re-applies it to the accounts that use it. A null number is unlimited. What a reseller may grant in total holds for all of its accounts with the package.',
  params,
  body: component(
    'UpdatePackage',
    z.strictObject({
      name: Name.optional(),
      ...optional(settings),
      ...clearable(limits),
      ...clearable(atUse),
      isolation: Isolation.nullable().optional(),
      letters: Letters.nullable().optional(),
      node_labels: NodeLabels.nullable().optional(),
    }),
  ),
  status: 200,
  answer: Package,
  allow: { reseller: 'edit-pkg' },
  token: { admin: ['packages'], account: 'none' },
  job: 'package.apply',
  emits: ['package.updated', 'account.limits_changed', 'job.completed', 'job.failed'],
  problems: ['exists', 'limit-reached'],
  cli: { words: ['packages', 'update'], columns, examples: ['panel packages update small --disk-quota-mb 2000'] },
})

export const deletePackage = operation({
  id: 'deletePackage',
  method: 'delete',
  path: '/packages/{id}',
  area: 'packages',
  summary: 'Delete a package that no account uses',
  params,
  status: 204,
  allow: { reseller: 'edit-pkg' },
  token: { admin: ['packages'], account: 'none' },
  emits: ['package.deleted'],
  problems: ['in-use'],
  cli: { words: ['packages', 'delete'], confirm: 'yes', examples: ['panel packages delete small --yes'] },
})
