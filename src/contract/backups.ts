import { z } from 'zod'
import { MAX_DATABASE_NAME_LENGTH, NAME_PATTERN } from '../shared/sql/names.ts'
import { Accepted, CreateAccount } from './accounts.ts'
import { component, Id, Millis, pageOf, paging, search } from './common.ts'
import { operation } from './operation.ts'

export const backupKinds = ['manual', 'scheduled', 'safety', 'final'] as const
export const backupStatuses = ['running', 'complete', 'incomplete', 'failed', 'damaged', 'deleting'] as const
/** `partial` is a complete one without something that the account has; the filter `complete` leaves it out. */
export const backupFilters = [...backupStatuses, 'partial'] as const
export const backupParts = ['files', 'mysql', 'mail', 'dns', 'config'] as const
export type BackupPartName = (typeof backupParts)[number]
export const partStatuses = ['ok', 'absent', 'failed'] as const
export const backupRhythms = ['none', 'daily', 'weekly'] as const

const PartResult = component(
  'BackupPart',
  z.strictObject({
    part: z.enum(backupParts),
    status: z.enum(partStatuses).describe('absent: the account has none of it'),
    files: z.int().min(0).optional(),
    bytes: z.int().min(0).optional().describe('As they are kept, compressed'),
    warnings: z.array(z.string()).optional().describe('Such as files that changed while they were read'),
    error: z.string().optional(),
  }),
)
export type PartResult = z.infer<typeof PartResult>

export const Backup = component(
  'Backup',
  z.strictObject({
    id: Id,
    account_id: Id,
    username: z.string(),
    kind: z.enum(backupKinds).describe('safety: taken before a restore; final: before the account was removed'),
    status: z
      .enum(backupStatuses)
      .describe(
        'incomplete: a part could not be saved; damaged: a check found that it has changed, or a trial that it cannot be restored',
      ),
    parts: z.array(PartResult),
    size_bytes: z.int().min(0),
    destination_id: Id,
    note: z.string(),
    manifest_sha256: z.string().optional(),
    checked_at: Millis.optional(),
    expires_at: Millis.optional().describe('When it is deleted'),
    job_id: Id.describe('The job that made it'),
    created_at: Millis,
    finished_at: Millis.optional(),
    tried_at: Millis.optional().describe('When a sample of it was restored for trial, as happens at night'),
    damage: z.string().optional().describe('What was found damaged, or could not be restored'),
  }),
)

const BackupAccepted = component(
  'BackupAccepted',
  z.strictObject({ backup: Backup, job_id: Id.describe('The job that applies the change') }),
)

const area = 'backups'
const account = { id: Id.describe('The account') }
const params = z.strictObject(account)
const member = z.strictObject({ ...account, bid: Id.describe('The backup') })
const access = {
  allow: { reseller: 'file-restore', customer: true },
  token: { admin: ['accounts'], account: 'account' },
} as const
const changing = { ...access, feature: 'backup' } as const
const ended = ['job.completed', 'job.failed'] as const
const columns = ['id', 'kind', 'status', 'size_bytes', 'created_at', 'note'] as const
const example = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

const Parts = z
  .array(z.enum(backupParts))
  .min(1)
  .max(backupParts.length)
  .refine((parts) => new Set(parts).size === parts.length, 'must not name a part twice')

export const listBackups = operation({
  id: 'listBackups',
  method: 'get',
  path: '/accounts/{id}/backups',
  area,
  summary: "List an account's backups",
  params,
  query: z.strictObject(paging),
  status: 200,
  answer: pageOf(Backup),
  ...access,
  cli: {
    words: ['backups', 'list'],
    variant: 'account',
    columns,
    newest: true,
    examples: ['panel backups list -a alice'],
  },
})

export const createBackup = operation({
  id: 'createBackup',
  method: 'post',
  path: '/accounts/{id}/backups',
  area,
  summary: 'Back up an account',
  description:
    "Saves an account's files, mail, zones and configuration. A part that cannot be saved makes the backup incomplete and its job fail. To copy the server's own data, use `panel backup`.",
  params,
  body: component(
    'CreateBackup',
    z.strictObject({
      parts: Parts.optional().describe('What to save; everything if left out'),
      destination_id: Id.optional().describe('Where it is kept; only root can choose it'),
      note: z.string().max(255).optional().describe('A note for yourself'),
    }),
  ),
  status: 202,
  answer: BackupAccepted,
  ...changing,
  job: 'backup.account',
  emits: ['backup.started', ...ended],
  problems: ['limit-reached', 'not-configured'],
  cli: {
    words: ['backups', 'create'],
    variant: 'account',
    columns,
    show: 'backup',
    examples: ['panel backups create -a alice', 'panel backups create -a alice --parts files,dns --note before-v2'],
  },
})

export const getBackup = operation({
  id: 'getBackup',
  method: 'get',
  path: '/accounts/{id}/backups/{bid}',
  area,
  summary: 'Show a backup',
  params: member,
  status: 200,
  answer: Backup,
  ...access,
  cli: {
    words: ['backups', 'show'],
    variant: 'account',
    columns: [...columns, 'manifest_sha256'],
    examples: [`panel backups show ${example} -a alice`],
  },
})

export const downloadBackup = operation({
  id: 'downloadBackup',
  method: 'get',
  path: '/accounts/{id}/backups/{bid}/download',
  area,
  host: true,
  raw: 'answer',
  writes: true,
  summary: 'Download a backup',
  description:
    'One part as it is stored, or a tar of all. A part can be requested by Range, and has a Repr-Digest and an ETag. An account may have two such requests at a time; each must transfer at least 256 KiB a minute.',
  params: member,
  query: z.strictObject({ part: z.enum(backupParts).optional().describe('Which part; a tar of all if left out') }),
  status: 200,
  ...access,
  problems: ['incomplete', 'range-not-satisfiable'],
  cli: {
    words: ['backups', 'download'],
    variant: 'account',
    resumes: true,
    examples: [
      `panel backups download ${example} --part config -a alice`,
      `panel backups download ${example} alice.tar -a alice`,
      `panel backups download ${example} files.tar.zst --part files -a alice`,
    ],
  },
})

const contentsTypes = ['file', 'directory', 'link', 'database', 'table', 'mailbox', 'folder', 'zone'] as const

export const BackupEntry = component(
  'BackupEntry',
  z.strictObject({
    name: z.string().describe('Bytes that are not UTF-8 are replaced'),
    type: z.enum(contentsTypes),
    size: z.int().min(0).optional().describe('In bytes; of a mailbox or folder, of its messages'),
    modified_at: Millis.optional(),
    mode: z.string().optional().describe('Four octal digits, such as 0644'),
  }),
)

export const listBackupEntries = operation({
  id: 'listBackupEntries',
  method: 'get',
  path: '/accounts/{id}/backups/{bid}/entries',
  area,
  host: true,
  summary: 'List what a backup contains',
  description:
    'One level of a part, in the order of the bytes of names: files and directories of the home; mailboxes and their folders; databases and their tables; zones. The first request has the backup indexed by a job: until it has ended, the answer is 409 `busy` with `Retry-After`.',
  params: member,
  query: z.strictObject({
    part: z.enum(backupParts).default('files').describe('Which part'),
    path: z.string().max(4_096).optional().describe('A directory, mailbox or database in it; the top if left out'),
    after: z.string().max(4_096).optional().describe('`next` of the page before'),
    limit: z.int().min(1).max(1_000).default(200).describe('Items per page'),
  }),
  status: 200,
  answer: z.strictObject({
    items: z.array(BackupEntry),
    next: z.string().optional().describe('Absent on the last page'),
  }),
  ...access,
  problems: ['incomplete', 'busy'],
  cli: {
    words: ['backups', 'ls'],
    variant: 'account',
    args: ['bid', 'path'],
    columns: ['mode', 'size', 'modified_at', 'type', 'name'],
    examples: [
      `panel backups ls ${example} -a alice`,
      `panel backups ls ${example} sites/shop.example -a alice`,
      `panel backups ls ${example} --part mysql -a alice`,
    ],
  },
})

export const checkBackup = operation({
  id: 'checkBackup',
  method: 'post',
  path: '/accounts/{id}/backups/{bid}/check',
  area,
  summary: 'Check that a backup is intact',
  description: 'Reads all of it and compares checksums. Damage that it finds makes the backup `damaged`.',
  params: member,
  status: 202,
  answer: BackupAccepted,
  ...changing,
  job: 'backup.check',
  emits: ended,
  problems: ['incomplete'],
  cli: {
    words: ['backups', 'check'],
    variant: 'account',
    columns: ['id', 'status', 'checked_at'],
    show: 'backup',
    failsWhen: { field: 'status', value: 'damaged' },
    examples: [`panel backups check ${example} -a alice`],
  },
})

export const cancelBackup = operation({
  id: 'cancelBackup',
  method: 'post',
  path: '/accounts/{id}/backups/{bid}/cancel',
  area,
  summary: 'Stop a backup that is being made',
  params: member,
  status: 202,
  answer: BackupAccepted,
  ...access,
  emits: [],
  problems: ['not-cancellable'],
  cli: {
    words: ['backups', 'cancel'],
    variant: 'account',
    columns,
    show: 'backup',
    unfollowed: true,
    examples: [`panel backups cancel ${example} -a alice`],
  },
})

export const deleteBackup = operation({
  id: 'deleteBackup',
  method: 'delete',
  path: '/accounts/{id}/backups/{bid}',
  area,
  summary: 'Delete a backup',
  description: 'Deleting it again in the meantime returns the same job.',
  params: member,
  status: 202,
  answer: BackupAccepted,
  ...access,
  job: 'backup.delete',
  emits: ended,
  cli: {
    words: ['backups', 'delete'],
    variant: 'account',
    columns,
    show: 'backup',
    confirm: 'yes',
    examples: [`panel backups delete ${example} -a alice`],
  },
})

const schedule = {
  every: z.enum(backupRhythms).describe('How often a backup is made'),
  keep: z.int().min(1).max(60).describe('How many complete scheduled backups are kept'),
}

const BackupSchedule = component(
  'BackupSchedule',
  z.strictObject({
    ...schedule,
    destination_id: Id.optional().describe('Where they are kept; the default destination if absent'),
  }),
)
const scheduleColumns = ['every', 'keep', 'destination_id'] as const

export const getBackupSchedule = operation({
  id: 'getBackupSchedule',
  method: 'get',
  path: '/accounts/{id}/backups/schedule',
  area,
  summary: "Show when an account's backups are made",
  params,
  status: 200,
  answer: BackupSchedule,
  ...access,
  cli: {
    words: ['backups', 'schedule'],
    variant: 'account',
    columns: scheduleColumns,
    examples: ['panel backups schedule -a alice'],
  },
})

export const setBackupSchedule = operation({
  id: 'setBackupSchedule',
  method: 'put',
  path: '/accounts/{id}/backups/schedule',
  area,
  summary: "Set when an account's backups are made",
  description: "Fields that are null or left out follow the account's package.",
  params,
  body: component(
    'SetBackupSchedule',
    z.strictObject({
      every: schedule.every.nullable().optional(),
      keep: schedule.keep.nullable().optional(),
      destination_id: Id.nullable().optional().describe('Where they are kept; only root can choose it'),
    }),
  ),
  status: 200,
  answer: BackupSchedule,
  allow: { reseller: 'edit-account' },
  token: { admin: ['accounts'], account: 'none' },
  feature: 'backup',
  problems: ['not-configured'],
  cli: {
    words: ['backups', 'set-schedule'],
    variant: 'account',
    columns: scheduleColumns,
    examples: [
      'panel backups set-schedule -a alice --every daily --keep 14',
      'panel backups set-schedule -a alice --every none',
    ],
  },
})

export const listAllBackups = operation({
  id: 'listAllBackups',
  method: 'get',
  path: '/backups',
  area,
  summary: 'List the backups of all accounts',
  description: 'Also those of accounts that have been terminated.',
  query: z.strictObject({
    ...paging,
    q: search('username'),
    account_id: Id.optional().describe('Only backups of this account'),
    status: z
      .enum(backupFilters)
      .optional()
      .describe('Only backups with this status; partial: complete but for parts that could not be read here'),
  }),
  status: 200,
  answer: pageOf(Backup),
  allow: { reseller: 'file-restore' },
  token: { admin: ['accounts'], account: 'none' },
  cli: {
    words: ['backups', 'list-all'],
    columns: ['id', 'username', ...columns.slice(1)],
    newest: true,
    examples: ['panel backups list-all', 'panel backups list-all --search alice --status complete'],
  },
})

const PathInHome = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]+$/, 'must not contain NUL')

export const restoreBackup = operation({
  id: 'restoreBackup',
  method: 'post',
  path: '/accounts/{id}/backups/{bid}/restore',
  area,
  summary: 'Restore an account from a backup',
  description:
    "First the backup is checked and a safety backup of the same parts is made; then the parts are restored one by one, each completely or not at all. Never restored: the account's status, owner, package, limits, password, tokens, sessions and webhooks. To restore the server's own data, use `panel restore`.",
  params: member,
  body: component(
    'RestoreBackup',
    z.strictObject({
      parts: Parts.optional().describe('What to restore; all that was saved if left out'),
      paths: z.array(PathInHome).min(1).max(100).optional().describe('Only these files and directories of the home'),
      databases: z
        .array(z.string().regex(NAME_PATTERN).max(MAX_DATABASE_NAME_LENGTH))
        .min(1)
        .max(100)
        .optional()
        .describe('Only these databases, by their names in the backup'),
      to: PathInHome.optional().describe('Directory below the home to put files into; where they were if left out'),
      safety: z.boolean().optional().describe('Whether to make a safety backup first; true by default'),
    }),
  ),
  status: 202,
  answer: BackupAccepted,
  ...changing,
  job: 'backup.restore',
  emits: ended,
  problems: ['incomplete'],
  cli: {
    words: ['backups', 'restore'],
    variant: 'account',
    columns,
    show: 'backup',
    confirm: 'yes',
    replaces: '/accounts/{id}/backups/{bid}',
    examples: [
      `panel backups restore ${example} -a alice --parts mail`,
      `panel backups restore ${example} -a alice --paths sites/shop.example --to sites/before`,
      `panel backups restore ${example} -a alice --databases alice_shop`,
    ],
  },
})

const restored = CreateAccount.shape

export const restoreBackupAs = operation({
  id: 'restoreBackupAs',
  method: 'post',
  path: '/backups/{bid}/restore',
  area,
  summary: 'Restore a backup as a new account',
  description:
    'Works for terminated accounts, too. The account is created first; `job_id` is the job that then restores it, and is cancelled if the account cannot be created. The account has no password until one is set.',
  params: z.strictObject({ bid: Id.describe('The backup') }),
  body: component(
    'RestoreBackupAs',
    z.strictObject({
      username: restored.username,
      domain: restored.domain,
      package_id: restored.package_id,
      owner_id: restored.owner_id,
      node: restored.node,
      ip6_id: restored.ip6_id,
      parts: Parts.optional().describe('What to restore; all that was saved if left out'),
    }),
  ),
  status: 202,
  answer: Accepted,
  allow: { reseller: 'create-acct' },
  token: { admin: ['accounts'], account: 'none' },
  job: 'backup.restore',
  emits: ['account.created', ...ended],
  problems: ['incomplete', 'busy', 'limit-reached', 'too-many', 'not-configured'],
  cli: {
    words: ['backups', 'restore-as'],
    args: ['bid', 'username', 'domain'],
    columns: ['username', 'main_domain', 'status'],
    show: 'account',
    examples: [`panel backups restore-as ${example} alice2 alice2.example`],
  },
})
