import { z } from 'zod'
import { component, Id, Millis } from './common.ts'
import { operation } from './operation.ts'

/** What can need attention. */
export const noticeKinds = [
  'alert-channel-off',
  'app-crashed',
  'backup-damaged',
  'backup-failed',
  'bandwidth-nearly-used',
  'certificate-expiring',
  'certificate-failed',
  'clock-off',
  'cron-failed',
  'databases-read-only',
  'disk-failing',
  'disk-filling',
  'disk-nearly-full',
  'dns-differs',
  'domain-claimed',
  'domain-unproven',
  'htaccess-ignored',
  'inodes-filling',
  'inodes-nearly-used',
  'job-failed',
  'load-high',
  'mail-deferred',
  'mail-loop',
  'mail-queue-large',
  'mailbox-nearly-full',
  'memory-low',
  'php-end-of-life',
  'reboot-needed',
  'replica-behind',
  'service-down',
  'version-available',
  'webhook-off',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

export const noticeSeverities = ['warn', 'error'] as const

/** What needs attention until it is fixed or dismissed. */
export const Notice = component(
  'Notice',
  z.strictObject({
    kind: z.enum(noticeKinds),
    severity: z.enum(noticeSeverities),
    object: z.string().describe('What kind of thing it is about'),
    object_id: Id,
    name: z.string().describe('What that is called'),
    detail: z.string().describe('What is wrong, in a sentence'),
    since: Millis,
    operation: z.string().optional().describe('The operation that resolves it'),
    command: z.string().describe('The command that shows it'),
    mend: z.string().optional().describe('The command that resolves it'),
    account_id: Id.optional().describe('Whose it is; absent: the server'),
    username: z.string().optional(),
  }),
)

const query = z.strictObject({
  kind: z.enum(noticeKinds).optional().describe('Only notices of this kind'),
  severity: z.enum(noticeSeverities).optional().describe('Only notices of this severity'),
  limit: z.int().min(1).max(500).default(100).describe('Items at most, 1 to 500'),
})
const answer = z.strictObject({
  items: z.array(Notice).describe('Errors first, then what is newest'),
  more: z.boolean().describe('Whether there are more than these'),
})
const Dismissal = component(
  'DismissNotice',
  z.strictObject({
    kind: z.enum(noticeKinds).describe('Kind of the notice'),
    object_id: Id.describe('What it is about'),
  }),
)
const dismissed = 'It comes back when the same thing goes wrong again.'
const params = z.strictObject({ id: Id.describe('The account') })
const area = 'notices'
const columns = ['severity', 'kind', 'username', 'name', 'detail', 'since', 'object_id'] as const

export const listNotices = operation({
  id: 'listNotices',
  method: 'get',
  path: '/notices',
  area,
  summary: 'List what needs attention',
  query,
  status: 200,
  answer,
  allow: { reseller: 'list-accts' },
  token: { admin: ['accounts'], account: 'none' },
  cli: { words: ['notices', 'list'], columns, examples: ['panel notices list', 'panel notices list --severity error'] },
})

export const dismissNotice = operation({
  id: 'dismissNotice',
  method: 'post',
  path: '/notices/dismiss',
  area,
  summary: 'Dismiss a notice about the server, or about an account that is gone',
  description: dismissed,
  body: Dismissal,
  status: 204,
  allow: { reseller: 'edit-account' },
  token: { admin: ['accounts', 'server'], account: 'none' },
  problems: ['not-found'],
  cli: {
    words: ['notices', 'dismiss'],
    args: ['kind', 'object_id'],
    examples: ['panel notices dismiss job-failed 01K9ZQ5T3M8V4X7C2B6N1D0FGH'],
  },
})

export const listNoticesForAccount = operation({
  id: 'listNoticesForAccount',
  method: 'get',
  path: '/accounts/{id}/notices',
  area,
  summary: 'List what of an account needs attention',
  params,
  query,
  status: 200,
  answer,
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'account' },
  cli: { words: ['notices', 'list'], variant: 'account', columns, examples: ['panel notices list --account alice'] },
})

export const dismissNoticeForAccount = operation({
  id: 'dismissNoticeForAccount',
  method: 'post',
  path: '/accounts/{id}/notices/dismiss',
  area,
  summary: 'Dismiss a notice about an account',
  description: dismissed,
  params,
  body: Dismissal,
  status: 204,
  allow: { reseller: 'edit-account', customer: true },
  token: { admin: ['accounts'], account: 'account' },
  cli: {
    words: ['notices', 'dismiss'],
    variant: 'account',
    args: ['kind', 'object_id'],
    examples: ['panel notices dismiss job-failed 01K9ZQ5T3M8V4X7C2B6N1D0FGH --account alice'],
  },
})
