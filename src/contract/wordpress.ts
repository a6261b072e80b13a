import { z } from 'zod'
import { component, Id, Millis, pageOf, paging, search } from './common.ts'
import { areasOfWord } from './jobs.ts'
import { operation } from './operation.ts'

export const wordpressStatuses = ['installing', 'active', 'working', 'unhealthy', 'missing', 'deleting'] as const
export const wordpressEnvironments = ['production', 'staging'] as const
export const autoUpdates = ['off', 'minor', 'security', 'all'] as const

const SitePath = z.string().describe('Where it is below the domain: `/`, or such as `/blog`')
const Window = z.strictObject({
  day: z.int().min(0).max(6).describe('Day of the week, from Sunday (0) to Saturday (6)'),
  hour: z.int().min(0).max(23).describe('Hour, in UTC'),
})

export const WordpressSite = component(
  'WordpressSite',
  z.strictObject({
    id: Id,
    account_id: Id,
    domain_id: Id,
    domain: z.string(),
    path: SitePath,
    version: z.string().optional().describe('Of WordPress; absent where its files do not say'),
    php_version: z.string().optional().describe('What runs it; absent until the node has said'),
    title: z.string().optional(),
    url: z.string(),
    admin_url: z.string(),
    db: z.string().optional().describe('Its database, as its configuration names it'),
    table_prefix: z.string().optional().describe('What the names of its tables begin with'),
    multisite: z.boolean(),
    updates: z
      .strictObject({
        core: z.string().optional().describe('The newer version of WordPress'),
        plugins: z.int().min(0),
        themes: z.int().min(0),
      })
      .describe('What can be updated, as far as the site itself has found out'),
    auto_update: z.enum(autoUpdates),
    window: Window.optional(),
    environment: z.enum(wordpressEnvironments),
    staging_of: Id.optional().describe('The site that it is a copy of'),
    status: z.enum(wordpressStatuses),
    reason: z.string().optional().describe('Why it is unhealthy, in a sentence'),
    health: z.strictObject({ checked_at: Millis.optional(), warnings: z.int().min(0), errors: z.int().min(0) }),
    last_checked_at: Millis.describe('When its files were last looked at'),
    created_at: Millis.describe('When it was found or installed'),
  }),
)

export const WordpressAccepted = component(
  'WordpressAccepted',
  z.strictObject({ site: WordpressSite, job_id: Id.describe('The job that applies the change') }),
)

export const account = { id: Id.describe('The account') }
const params = z.strictObject(account)
export const member = z.strictObject({ ...account, wid: Id.describe('The site') })

export const area = 'wordpress'
export const access = {
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: { all: areasOfWord.wordpress } },
} as const
export const ended = ['job.completed', 'job.failed'] as const
export const columns = [
  'domain',
  'path',
  'version',
  'php_version',
  'updates.core',
  'updates.plugins',
  'status',
] as const

export const listWordpress = operation({
  id: 'listWordpress',
  method: 'get',
  path: '/accounts/{id}/wordpress',
  area,
  summary: "List an account's WordPress sites",
  description:
    'Sites are found by the text of their files, at document roots and up to four directories below: once a day, when a document root changes, and by `scanWordpress`. None of their code is run for that.',
  params,
  query: z.strictObject({ ...paging, q: search('domain') }),
  status: 200,
  answer: pageOf(WordpressSite),
  ...access,
  cli: {
    words: ['wordpress', 'list'],
    variant: 'account',
    columns,
    examples: ['panel wordpress list --account alice'],
  },
})

export const listAllWordpress = operation({
  id: 'listAllWordpress',
  method: 'get',
  path: '/wordpress',
  area,
  summary: 'List the WordPress sites of all accounts',
  query: z.strictObject({
    ...paging,
    q: search('domain'),
    owner_id: Id.optional().describe('Only sites of accounts of this owner'),
    version: z.string().max(64).optional().describe('Only sites with this version of WordPress'),
    updates: z.boolean().optional().describe('Only sites that can be updated, or that cannot'),
    status: z.enum(wordpressStatuses).optional().describe('Only sites in this status'),
  }),
  status: 200,
  answer: pageOf(
    component(
      'WordpressSiteOfAccount',
      z.strictObject({ ...WordpressSite.shape, username: z.string().describe('Of its account') }),
    ),
  ),
  allow: { reseller: 'list-accts' },
  token: { admin: ['accounts'], account: 'none' },
  cli: {
    words: ['wordpress', 'list'],
    columns: ['domain', 'path', 'username', ...columns.slice(2)],
    everything: { option: 'all', without: 'account', description: 'The sites of all accounts' },
    examples: ['panel wordpress list --all', 'panel wordpress list --all --status unhealthy'],
  },
})

export const scanWordpress = operation({
  id: 'scanWordpress',
  method: 'post',
  path: '/accounts/{id}/wordpress/scan',
  area,
  summary: 'Look for WordPress sites',
  description: 'Reads the text of files at all document roots of the account, and runs none of them.',
  params,
  status: 202,
  answer: component('WordpressScanAccepted', z.strictObject({ job_id: Id.describe('The job that looks') })),
  job: 'wordpress.scan',
  emits: ended,
  ...access,
  feature: 'wordpress',
  cli: {
    words: ['wordpress', 'scan'],
    variant: 'account',
    examples: ['panel wordpress scan --account alice'],
  },
})

export const getWordpress = operation({
  id: 'getWordpress',
  method: 'get',
  path: '/accounts/{id}/wordpress/{wid}',
  area,
  summary: 'Show a WordPress site',
  params: member,
  status: 200,
  answer: WordpressSite,
  ...access,
  cli: {
    words: ['wordpress', 'show'],
    variant: 'account',
    columns,
    examples: ['panel wordpress show shop.example', 'panel wordpress show shop.example/blog'],
  },
})

export const updateWordpressSettings = operation({
  id: 'updateWordpressSettings',
  method: 'patch',
  path: '/accounts/{id}/wordpress/{wid}',
  area,
  summary: 'Set which updates a WordPress site gets by itself',
  description: 'Stored with the site. This version does not install updates by itself yet.',
  params: member,
  body: component(
    'UpdateWordpressSettings',
    z.strictObject({
      auto_update: z
        .enum(autoUpdates)
        .optional()
        .describe('None, those of the same branch, those that close a vulnerability, or all'),
      window: Window.nullable().optional().describe('When they are made; null: at any time'),
    }),
  ),
  status: 200,
  answer: WordpressSite,
  emits: [],
  problems: ['busy'],
  ...access,
  feature: 'wordpress',
  cli: {
    words: ['wordpress', 'set'],
    variant: 'account',
    columns,
    examples: ['panel wordpress set shop.example --auto-update minor --window-day 2 --window-hour 3'],
  },
})

export const deleteWordpress = operation({
  id: 'deleteWordpress',
  method: 'delete',
  path: '/accounts/{id}/wordpress/{wid}',
  area,
  summary: 'Delete a WordPress site',
  description:
    "Its files go to the account's trash. Its directory goes as a whole, unless it is a document root or has other sites in it: then WordPress's own files and directories go one by one, and the rest stays. Its database and the user of it are deleted if the panel made them with the site and nothing else uses them. Deleting it again in the meantime returns the same job.",
  params: member,
  query: z.strictObject({ confirm: z.string().max(2048).optional().describe("The site's `url`, to confirm") }),
  status: 202,
  answer: WordpressAccepted,
  job: 'wordpress.delete',
  emits: ['mysql.database.deleted', 'mysql.user.deleted', ...ended],
  problems: ['busy'],
  ...access,
  cli: {
    words: ['wordpress', 'delete'],
    variant: 'account',
    columns,
    show: 'site',
    confirm: 'name',
    examples: ['panel wordpress delete shop.example/blog --confirm https://shop.example/blog'],
  },
})
