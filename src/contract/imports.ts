import { z } from 'zod'
import { absolutePath, MAX_PATH_LENGTH } from '../shared/patterns.ts'
import { component, Id, importFormats, Millis, pageOf, paging, search } from './common.ts'
import { operation } from './operation.ts'

export const importStatuses = [
  'inspecting',
  'ready',
  'blocked',
  'queued',
  'running',
  'imported',
  'syncing',
  'active',
  'failed',
  'removing',
] as const
export type ImportStatus = (typeof importStatuses)[number]
export const importSteps = ['inspect', 'unpack', 'judge', 'account', 'mysql', 'mail', 'settle', 'check'] as const
export type ImportStep = (typeof importSteps)[number]
export const reportParts = [
  'account',
  'domains',
  'dns',
  'mail',
  'mysql',
  'files',
  'htaccess',
  'ssl',
  'ftp',
  'cron',
  'ssh',
  'apps',
  'pages',
] as const
export type ReportPart = (typeof reportParts)[number]
export const reportOutcomes = ['as_is', 'changed', 'not_possible', 'conflict'] as const
export type ReportOutcome = (typeof reportOutcomes)[number]
export const skippable = ['files', 'mail', 'mysql', 'dns', 'ssl', 'ftp', 'cron', 'ssh', 'htaccess'] as const

const MAX_MAPPED = 1_000
const Names = z
  .record(z.string().min(1).max(320), z.string().min(1).max(320).nullable())
  .refine((names) => Object.keys(names).length <= MAX_MAPPED, `must have at most ${MAX_MAPPED} names`)

const namesLike = (example: Readonly<Record<string, string | null>>) =>
  Names.optional()
    .describe('New names by those of the archive; what has no new name is left out')
    .meta({ examples: [example] })

const Mapped = component(
  'ImportMap',
  z.strictObject({
    domains: namesLike({ 'old.example': 'new.example', 'unused.example': null }),
    mailboxes: namesLike({ 'jo@old.example': 'joanna@old.example', 'unused@old.example': null }),
    databases: namesLike({ old_shop: 'new_shop', old_unused: null }),
    database_users: namesLike({ old_shop: 'new_shop', old_unused: null }),
    ips: Names.optional()
      .describe('New addresses in DNS records, by those of the archive')
      .meta({ examples: [{ '192.0.2.10': '198.51.100.20' }] }),
  }),
)

const options = {
  as: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("The account's username; that of the archive by default")
    .meta({ title: 'Username' }),
  domain: z.string().min(1).max(253).optional().describe('The main domain; that of the archive by default'),
  package_id: Id.optional().describe('Package; one with the name of the former plan, else `default`'),
  owner_id: Id.optional().describe('Owner: root or a reseller; the caller by default'),
  ip_id: Id.optional().describe('IP address; the main one by default'),
  ip6_id: Id.optional().describe('IPv6 address, beside an IPv4 one; none by default'),
  limits: z
    .enum(['source', 'package'])
    .optional()
    .describe('Whose limits: those of the archive, or the package; the package where one fits the former plan'),
  quota_fit: z.boolean().optional().describe('Raise the disk quota to what comes'),
  dns: z
    .enum(['replace', 'template'])
    .optional()
    .describe('Whether records of the archive take the place of those of new zones (replace, by default)'),
  skip: z.array(z.enum(skippable)).max(skippable.length).optional().describe('What to leave out'),
  map: Mapped.optional().describe('New names by those of the archive; null leaves one out'),
  passwords: z.enum(['keep', 'none']).optional().describe('Whether passwords go on working (keep, by default)'),
} as const

const Options = component('ImportOptions', z.strictObject(options))
export type ImportOptions = z.infer<typeof Options>

const Step = component(
  'ImportStep',
  z.strictObject({
    step: z.enum(importSteps),
    status: z.enum(['pending', 'running', 'succeeded', 'failed', 'skipped']),
    done: z.int().min(0),
    total: z.int().min(0),
    unit: z.string(),
    job_id: Id.optional(),
    error: z.string().optional(),
  }),
)

export const Import = component(
  'Import',
  z.strictObject({
    id: Id,
    owner_id: Id,
    node: z.string(),
    source: z.strictObject({
      kind: z.enum(['path', 'upload', 'ssh']),
      format: z.enum(importFormats).optional().describe('Known once it is read'),
      file: z.string().optional(),
      size_bytes: z.int().min(0),
      panel_version: z.string().optional(),
    }),
    status: z
      .enum(importStatuses)
      .describe(
        'ready: inspected; blocked: the report has conflicts; imported: complete, and held back until it is activated',
      ),
    username: z.string(),
    main_domain: z.string(),
    account_id: Id.optional(),
    options: Options,
    steps: z.array(Step),
    counts: z.strictObject({
      as_is: z.int().min(0),
      changed: z.int().min(0),
      not_possible: z.int().min(0),
      conflicts: z.int().min(0),
    }),
    created_at: Millis,
    finished_at: Millis.optional(),
    last_sync_at: Millis.optional(),
    activated_at: Millis.optional(),
    error: z.string().optional(),
  }),
)

const ReportItem = component(
  'ImportReportItem',
  z.strictObject({
    part: z.enum(reportParts),
    item: z.string(),
    outcome: z.enum(reportOutcomes),
    text: z.string(),
    from: z.string().optional(),
    to: z.string().optional(),
    file: z.string().optional(),
    line: z.int().min(1).optional(),
    fix: z.string().optional().describe('An option to set or a command to run'),
  }),
)
export type ReportItem = z.infer<typeof ReportItem>

const Accepted = component(
  'ImportAccepted',
  z.strictObject({ import: Import, job_id: Id.describe('The job that does it') }),
)

const area = 'imports'

const access = {
  allow: { reseller: 'create-acct' },
  token: { admin: ['accounts'], account: 'none' },
} as const
const member = z.strictObject({ iid: Id.describe('The import') })
const ended = ['job.completed', 'job.failed'] as const
const columns = ['username', 'main_domain', 'status', 'counts.conflicts', 'counts.not_possible', 'created_at'] as const

export const listImports = operation({
  id: 'listImports',
  method: 'get',
  path: '/imports',
  area,
  summary: 'List imports of accounts from other panels',
  query: z.strictObject({
    ...paging,
    q: search('username'),
    status: z.enum(importStatuses).optional().describe('Only imports with this status'),
  }),
  status: 200,
  answer: pageOf(Import),
  ...access,
  cli: {
    words: ['import', 'list'],
    columns,
    newest: true,
    examples: ['panel import list', 'panel import list --status blocked'],
  },
})

export const createImport = operation({
  id: 'createImport',
  method: 'post',
  path: '/imports',
  area,
  summary: 'Inspect an account archive of another panel',
  description:
    'Reads the archive and reports what would come as it is, what would come otherwise, and what cannot; nothing is made. With `run` the import follows unless the report has conflicts. The file is an upload, or is named by its path on the server, below a directory of the setting `import_dirs`: one of them.',
  body: component(
    'CreateImport',
    z.strictObject({
      path: z
        .string()
        .max(MAX_PATH_LENGTH)
        .regex(absolutePath, 'must be an absolute path')
        .optional()
        .describe('Absolute path, in a directory of the setting import_dirs such as /root or /backup')
        .meta({ title: 'Archive on the server' }),
      upload_id: Id.optional().describe('The uploaded archive, instead of a path'),
      run: z
        .boolean()
        .optional()
        .describe('Run the import once it is inspected, unless it is blocked; false by default'),
      ...options,
    }),
  ),
  status: 202,
  answer: Accepted,
  ...access,
  job: 'import.inspect',
  emits: ended,
  problems: ['incomplete', 'not-configured', 'too-many'],
  cli: {
    words: ['import', 'inspect'],
    args: ['path'],
    upload: { field: 'upload_id', option: 'file' },
    columns,
    show: 'import',
    examples: [
      'panel import inspect /root/cpmove-alice.tar.gz',
      'panel import inspect --file cpmove-alice.tar.gz',
      'panel import inspect /backup/alice.tar.gz --as alice2',
    ],
  },
})

export const getImport = operation({
  id: 'getImport',
  method: 'get',
  path: '/imports/{iid}',
  area,
  summary: 'Show an import',
  params: member,
  status: 200,
  answer: Import,
  ...access,
  cli: { words: ['import', 'show'], columns, examples: ['panel import show alice'] },
})

export const updateImport = operation({
  id: 'updateImport',
  method: 'patch',
  path: '/imports/{iid}',
  area,
  summary: 'Change the options of an import',
  description: 'Its report is made anew. Options that are left out stay as they are.',
  params: member,
  body: component('UpdateImport', z.strictObject(options)),
  status: 200,
  answer: Import,
  ...access,
  problems: ['busy'],
  cli: { words: ['import', 'update'], columns, examples: ['panel import update alice --as alice2 --skip cron,ssh'] },
})

export const getImportReport = operation({
  id: 'getImportReport',
  method: 'get',
  path: '/imports/{iid}/report',
  area,
  summary: 'Show what would come with an import',
  description:
    'Conflicts come first: each prevents the import. Then what cannot come, what comes otherwise, and what comes as it is. After a run it says what happened.',
  params: member,
  query: z.strictObject({
    ...paging,
    part: z.enum(reportParts).optional().describe('Only this part'),
    outcome: z.enum(reportOutcomes).optional().describe('Only this outcome'),
  }),
  status: 200,
  answer: component(
    'ImportReport',
    z.strictObject({
      counts: Import.shape.counts,
      items: z.array(ReportItem),
      total: z.int().min(0).describe('Matches on all pages'),
    }),
  ),
  ...access,
  cli: {
    words: ['import', 'report'],
    columns: ['outcome', 'part', 'item', 'text'],
    examples: ['panel import report alice', 'panel import report alice --outcome conflict -o json'],
  },
})

export const runImport = operation({
  id: 'runImport',
  method: 'post',
  path: '/imports/{iid}/run',
  area,
  summary: 'Run an import',
  description:
    'Makes the account of an inspected import, with all that its report says, and holds it back: its status is `importing` until the import is activated. A step that is done is not done again. A failed import goes on where it stopped.',
  params: member,
  body: component(
    'RunImport',
    z.strictObject({
      dry_run: z.boolean().optional().describe('Only judge it anew by what this server has now; false by default'),
    }),
  ),
  status: 202,
  answer: Accepted,
  ...access,
  job: 'import.unpack',
  emits: ['account.created', ...ended],
  problems: ['blocked', 'busy', 'in-use'],
  cli: {
    words: ['import', 'start'],
    columns,
    show: 'import',
    examples: ['panel import start alice', 'panel import start alice --dry-run'],
  },
})

const MAX_PATHS = 50

export const compareImport = operation({
  id: 'compareImport',
  method: 'post',
  path: '/imports/{iid}/compare',
  area,
  summary: "Compare an import's pages on the old and the new server",
  description:
    'Gets each page from both, by GET over https without checking certificates, and reports in the part `pages` what differs: status, redirect, type, title, size, words. Nothing else is sent, and no cookie. Internal addresses of old servers have to be in the setting `import_networks`.',
  params: member,
  body: component(
    'CompareImport',
    z.strictObject({
      paths: z
        .array(
          z
            .string()
            .max(1_000)
            .regex(/^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+)?\/[!-~]*$/, 'must be /PATH, or DOMAIN/PATH'),
        )
        .min(1)
        .max(MAX_PATHS)
        .optional()
        .describe('Pages: /shop of the main domain, or shop.example/cart; the first page of each site by default'),
      address: z
        .union([z.ipv4(), z.ipv6()])
        .optional()
        .describe('Address of the old server; that of the archive by default'),
    }),
  ),
  status: 202,
  answer: Accepted,
  ...access,
  job: 'import.compare',
  emits: ended,
  problems: ['incomplete', 'not-configured'],
  cli: {
    words: ['import', 'compare'],
    columns,
    show: 'import',
    examples: ['panel import compare alice', 'panel import compare alice --paths /,/shop,blog.alice.example/'],
  },
})

const ChecklistItem = component(
  'ImportChecklistItem',
  z.strictObject({
    step: z.int().min(1).describe('Steps are done in this order'),
    domain: z.string().optional(),
    text: z.string(),
    now: z.string().optional().describe('What the public DNS has, if it was asked and answered'),
    then: z.string().optional().describe('What it should become'),
    done: z.boolean(),
  }),
)

export const getImportChecklist = operation({
  id: 'getImportChecklist',
  method: 'get',
  path: '/imports/{iid}/checklist',
  area,
  summary: 'Show what remains to be done for the move of an import',
  description:
    'From lower TTLs to the last change of DNS, for each domain. What the public DNS shows is ticked off; it is asked at most once a minute.',
  params: member,
  status: 200,
  answer: component('ImportChecklist', z.strictObject({ items: z.array(ChecklistItem) })),
  ...access,
  cli: {
    words: ['import', 'checklist'],
    columns: ['step', 'done', 'domain', 'text', 'now', 'then'],
    rows: 'items',
    examples: ['panel import checklist alice'],
  },
})

export const activateImport = operation({
  id: 'activateImport',
  method: 'post',
  path: '/imports/{iid}/activate',
  area,
  summary: 'Activate an imported account',
  description:
    'Ends what holds it back, in one step: its mail is received here, cron jobs run, mail is sent, FTP and SSH open, certificates are ordered. An account that was suspended on the old server becomes suspended.',
  params: member,
  status: 202,
  answer: Accepted,
  ...access,
  job: 'import.activate',
  emits: ['account.suspended', ...ended],
  problems: ['busy', 'incomplete'],
  cli: {
    words: ['import', 'activate'],
    columns,
    show: 'import',
    confirm: 'yes',
    examples: ['panel import activate alice --yes', 'panel import activate alice bob --yes'],
  },
})

export const cancelImport = operation({
  id: 'cancelImport',
  method: 'post',
  path: '/imports/{iid}/cancel',
  area,
  summary: 'Stop an import',
  params: member,
  status: 202,
  answer: Accepted,
  ...access,
  emits: [],
  problems: ['not-cancellable'],
  cli: {
    words: ['import', 'cancel'],
    columns,
    show: 'import',
    unfollowed: true,
    examples: ['panel import cancel alice'],
  },
})

export const deleteImport = operation({
  id: 'deleteImport',
  method: 'delete',
  path: '/imports/{iid}',
  area,
  summary: 'Remove an import',
  description:
    'Its account is removed with it, unless it is active: then only the import is forgotten, with `forget`. The archive stays where it is.',
  params: member,
  query: z.strictObject({
    confirm: z.string().max(64).optional().describe("The account's username, to confirm, once there is an account"),
    forget: z.boolean().optional().describe('Forget an active import; its account stays'),
  }),
  status: 202,
  answer: Accepted,
  ...access,
  job: 'import.remove',
  emits: ['account.terminated', ...ended],
  problems: ['busy', 'in-use'],
  cli: {
    words: ['import', 'remove'],
    columns,
    show: 'import',
    confirm: 'name',
    examples: ['panel import remove alice --yes'],
  },
})
