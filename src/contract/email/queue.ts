import { z } from 'zod'
import { queueId } from '../../shared/patterns.ts'
import { component, Hostname, Id, Millis } from '../common.ts'
import { NodeName, Unreachable } from '../node-names.ts'
import { operation } from '../operation.ts'
import { access, account, area, ended } from './common.ts'

const MAX_QUEUED = 500
const MAX_AGE_S = 31_536_000

export const QueueId = z
  .string()
  .regex(new RegExp(`^${queueId}$`), 'must be the id of a message in the queue, such as 4jbtcD1XDvzJDKm')

const QueuedMessage = component(
  'QueuedMessage',
  z.strictObject({
    id: QueueId.describe("The mail server's id of the message, which is never used again"),
    node: NodeName,
    from: z.string().describe('The sender of the envelope; empty for bounces'),
    to: z.array(z.string()).describe('Those that it has yet to reach, the first ten'),
    recipients: z.int().min(0).describe('How many those are'),
    size: z.int().min(0).describe('In bytes'),
    arrived_at: Millis,
    next_attempt_at: Millis.optional().describe('Absent while it is being delivered or held'),
    attempts: z.int().min(0).describe('How often its delivery has begun'),
    reason: z.string().describe('Why it waits, in the words of the other server; empty before the first attempt'),
    account_id: Id.optional().describe(
      'The account that submitted it, or whose forwarder or mailbox it is for; absent with none or several',
    ),
    username: z.string().optional(),
    held: z.boolean().describe('It waits until it is released'),
  }),
)

const filter = {
  sender: z
    .string()
    .min(1)
    .max(254)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')
    .optional()
    .describe('Only from this sender; `<>` for bounces'),
  recipient_domain: Hostname.optional().describe('Only to addresses of this domain'),
  held: z.boolean().optional().describe('Only what is held, or is not'),
  older_than_s: z.int().min(0).max(MAX_AGE_S).optional().describe('Only what has waited for more than so many seconds'),
}
const ofAccount = { account_id: Id.optional().describe('Only messages of this account') }

const queryFields = {
  ...filter,
  limit: z.int().min(1).max(MAX_QUEUED).default(100).describe('Messages on a page, at most'),
  after: z
    .string()
    .regex(new RegExp(`^[0-9]{1,15}-${queueId}$`), 'must be the `next` of a page')
    .optional()
    .describe('The `next` of the page before'),
}

const page = component(
  'MailQueue',
  z.strictObject({
    items: z.array(QueuedMessage),
    total: z.int().min(0).describe('Matches on all pages'),
    more: z.boolean().describe('Whether there are further pages'),
    next: z.string().optional().describe('Where the next page begins'),
    unreachable: Unreachable.describe('Nodes that could not be asked'),
  }),
)

const columns = ['id', 'arrived_at', 'username', 'from', 'to', 'size', 'reason'] as const
const byServer = {
  problems: ['not-found'],
  allow: { reseller: 'create-user-session' },
  token: { admin: ['accounts'], account: 'none' },
} as const

export const listMailQueue = operation({
  id: 'listMailQueue',
  method: 'get',
  path: '/mail/queue',
  area,
  host: true,
  summary: 'List messages in the mail queue',
  description: 'The longest waiting first. Resellers see the messages of their accounts.',
  query: z.strictObject({ ...queryFields, ...ofAccount }),
  status: 200,
  answer: page,
  ...byServer,
  cli: {
    words: ['email', 'queue', 'list'],
    columns,
    examples: ['panel email queue list', 'panel email queue list --recipient-domain ext.example --older-than-s 3600'],
  },
})

export const listMailQueueForAccount = operation({
  id: 'listMailQueueForAccount',
  method: 'get',
  path: '/accounts/{id}/email/queue',
  area,
  host: true,
  summary: "List an account's messages in the mail queue",
  description: 'The longest waiting first.',
  params: z.strictObject(account),
  query: z.strictObject(queryFields),
  status: 200,
  answer: page,
  ...access,
  cli: {
    words: ['email', 'queue', 'list'],
    variant: 'account',
    columns: columns.filter((name) => name !== 'username'),
    examples: ['panel email queue list --account alice'],
  },
})

const ids = z.array(QueueId).min(1).max(MAX_QUEUED).optional().describe('These messages')
const Change = component('ChangeMailQueue', z.strictObject({ ids, ...filter, ...ofAccount }))
const ChangeOfAccount = component('ChangeMailQueueOfAccount', z.strictObject({ ids, ...filter }))
const Accepted = component(
  'MailQueueChangeAccepted',
  z.strictObject({
    matched: z.int().min(0).describe('Messages that met it when the request came'),
    job_id: Id.describe('The job that changes them; its log says which had left'),
  }),
)

const changed = { status: 202, answer: Accepted, job: 'mail.queue.change', emits: ended } as const
const narrowing = 'Needs ids or a filter, and changes only what arrived before the request.'

const change = <const I extends string, const V extends string>(id: I, verb: V, summary: string, more = '') =>
  ({
    id,
    method: 'post',
    path: `/mail/queue/${verb}`,
    area,
    summary,
    description: `${more}${narrowing} Resellers change the messages of their accounts.`,
    body: Change,
    ...changed,
    ...byServer,
  }) as const

const cli = <const V extends string>(verb: V) =>
  ({
    words: ['email', 'queue', verb],
    args: ['ids'],
    columns: ['matched'],
    examples: [`panel email queue ${verb} 4jbtcD1XDvzJDKm`, `panel email queue ${verb} --recipient-domain ext.example`],
  }) as const

export const retryMailQueue = operation({
  ...change('retryMailQueue', 'retry', 'Have messages of the mail queue delivered now', 'Leaves what is held. '),
  cli: cli('retry'),
})

export const holdMailQueue = operation({
  ...change('holdMailQueue', 'hold', 'Hold messages of the mail queue until they are released'),
  cli: cli('hold'),
})

export const releaseMailQueue = operation({
  ...change('releaseMailQueue', 'release', 'Release held messages of the mail queue'),
  cli: cli('release'),
})

export const deleteMailQueue = operation({
  ...change('deleteMailQueue', 'delete', 'Delete messages of the mail queue', 'Their senders are not told. '),
  cli: { ...cli('delete'), confirm: 'yes' },
})

export const deleteMailQueueForAccount = operation({
  id: 'deleteMailQueueForAccount',
  method: 'post',
  path: '/accounts/{id}/email/queue/delete',
  area,
  summary: "Delete an account's messages in the mail queue",
  description: `Their senders are not told. ${narrowing}`,
  params: z.strictObject(account),
  body: ChangeOfAccount,
  ...changed,
  ...access,
  cli: {
    ...cli('delete'),
    variant: 'account',
    confirm: 'yes',
    examples: ['panel email queue delete --held --account alice'],
  },
})
