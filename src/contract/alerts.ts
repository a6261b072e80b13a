import { z } from 'zod'
import { component, Id, listOf, Millis, pageOf, paging } from './common.ts'
import { noticeKinds, noticeSeverities } from './notices.ts'
import { operation } from './operation.ts'

export const alertStates = ['open', 'acknowledged', 'ended'] as const
export const channelTypes = ['mail', 'webhook'] as const
export const channelShapes = ['slack', 'discord', 'mattermost', 'ntfy', 'telegram', 'json'] as const
export type ChannelShape = (typeof channelShapes)[number]
export const digests = ['now', 'hourly', 'daily'] as const
export const sentReasons = ['opened', 'reminded', 'escalated', 'ended'] as const
export type SentReason = (typeof sentReasons)[number]
export const sentOutcomes = ['sent', 'waiting', 'failed', 'skipped'] as const
export type SentOutcome = (typeof sentOutcomes)[number]

export const MAX_CHANNELS = 20

const Sent = component(
  'SentAlert',
  z.strictObject({
    channel_id: Id,
    at: Millis,
    what: z.enum(sentReasons),
    outcome: z.enum(sentOutcomes).describe('`skipped`: the channel was off, not confirmed, or must not carry it'),
    error: z.string().optional(),
  }),
)

/** One cause that somebody is to hear of. */
export const Alert = component(
  'Alert',
  z.strictObject({
    id: Id,
    kind: z.enum(noticeKinds),
    severity: z.enum(noticeSeverities),
    object: z.string().describe('What kind of thing it is about'),
    object_id: Id,
    name: z.string().describe('What that is called'),
    detail: z.string().describe('What is wrong, in a sentence'),
    since: Millis,
    account_id: Id.optional().describe('Whose it is; absent: the server'),
    username: z.string().optional(),
    state: z.enum(alertStates),
    acknowledged_at: Millis.optional(),
    acknowledged_by: z.string().optional(),
    note: z.string().optional().describe('What was noted when it was acknowledged'),
    ended_at: Millis.optional(),
    command: z.string().describe('The command that shows it'),
    mend: z.string().optional().describe('The command that resolves it'),
    sent: z.array(Sent).describe("To the caller's channels; to all for root"),
  }),
)

const Quiet = z.strictObject({
  from: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00')
    .describe('Start, such as 22:00'),
  to: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 07:00')
    .describe('End, such as 07:00'),
  timezone: z.string().min(1).max(64).describe('Time zone, such as Europe/Berlin'),
})

const kinds = z
  .array(z.string().min(1).max(64))
  .min(1)
  .max(50)
  .describe('Kinds (`job-failed`, `disk-*`) and severities (`error`); `*` means all')
const urgent = z.boolean().describe('Whether errors pass in quiet hours')
const digest = z.enum(digests).describe('At once, or collected for an hour or a day')
const escalateAfter = z.int().min(1).max(10_080).describe('Minutes until an alert that was not acknowledged goes on')

/** A way to a person, without its address if that is a secret. */
export const AlertChannel = component(
  'AlertChannel',
  z.strictObject({
    id: Id,
    name: z.string(),
    type: z.enum(channelTypes),
    shape: z.enum(channelShapes).optional().describe('webhook: how the receiver wants its messages'),
    to: z.string().optional().describe('mail: the address'),
    host: z.string().optional().describe('webhook: the host; the rest of the address is a secret'),
    kinds,
    quiet: Quiet.optional().describe('Hours in which messages wait'),
    urgent,
    digest,
    escalate_after_min: escalateAfter.optional(),
    escalate_to: Id.optional().describe('The channel that it goes on to'),
    enabled: z.boolean(),
    failures: z.int().min(0).describe('Consecutive failed attempts; 50 switch it off'),
    disabled_reason: z.string().optional().describe('Why the server switched it off'),
    verified: z.boolean().describe('Whether it may be sent to: an address of somebody else must be confirmed first'),
    reseller: z.string().optional().describe("Whose it is, for root; absent: the server's"),
    created_at: Millis,
    updated_at: Millis,
  }),
)

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be up to 31 lower-case letters, digits and hyphens, and begin with a letter')
  .describe('Name')
const address = {
  to: z.email().max(254).optional().describe('mail: the address'),
  url: z.string().min(1).max(2048).optional().describe('webhook: the address; for ntfy and telegram another server'),
  topic: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the name of a topic')
    .optional()
    .describe('ntfy: the topic'),
  token: z
    .string()
    .regex(/^\d{1,20}:[A-Za-z0-9_-]{20,100}$/, 'must be the token of a bot')
    .optional()
    .describe('telegram: the token of the bot'),
  chat: z
    .string()
    .regex(/^(-?\d{1,20}|@[A-Za-z0-9_]{4,64})$/, 'must be the id of a chat, or @ and its name')
    .optional()
    .describe('telegram: the chat'),
}
const choices = {
  kinds: kinds.optional(),
  urgent: urgent.optional(),
  digest: digest.optional(),
  enabled: z.boolean().optional().describe('Whether it is sent to (default: true)'),
}

const CreateChannel = component(
  'CreateAlertChannel',
  z.strictObject({
    name,
    type: z.enum(channelTypes).describe('mail or webhook'),
    shape: z.enum(channelShapes).optional().describe('webhook: how the receiver wants its messages'),
    ...address,
    ...choices,
    quiet: Quiet.optional().describe('Hours in which messages wait'),
    escalate_after_min: escalateAfter.optional(),
    escalate_to: Id.optional().describe('The channel that an alert goes on to'),
  }),
)
const UpdateChannel = component(
  'UpdateAlertChannel',
  z.strictObject({
    name: name.optional(),
    ...address,
    ...choices,
    quiet: Quiet.nullable().optional().describe('Hours in which messages wait; null: none'),
    escalate_after_min: escalateAfter.nullable().optional(),
    escalate_to: Id.nullable().optional().describe('The channel that an alert goes on to; null: none'),
  }),
)
const Created = component(
  'CreatedAlertChannel',
  z.strictObject({
    channel: AlertChannel,
    secret: z.string().optional().describe('json: signs the messages; shown only once'),
  }),
)
export const testOutcomes = ['sent', 'failed'] as const
const Tested = component(
  'TestedAlertChannel',
  z.strictObject({
    outcome: z.enum(testOutcomes).describe('mail: `sent` once the mail server has it'),
    answer: z.string().optional().describe('What the receiver answered, or why it did not'),
  }),
)
const Acknowledge = component(
  'AcknowledgeAlert',
  z.strictObject({
    note: z
      .string()
      .max(500)
      .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
      .optional()
      .describe('What others should know'),
  }),
)
const query = z.strictObject({
  ...paging,
  state: z.enum(alertStates).optional().describe('Only alerts in this state'),
  kind: z.enum(noticeKinds).optional().describe('Only alerts of this kind'),
  severity: z.enum(noticeSeverities).optional().describe('Only alerts of this severity'),
})
const listed = pageOf(Alert).extend({
  mailer: z.enum(['on', 'off']).describe('Whether this server sends mail'),
})

const area = 'alerts'
const reads = { area, allow: { reseller: 'list-accts' }, token: { admin: ['accounts'], account: 'none' } } as const
const changes = { area, allow: { reseller: 'list-accts' }, token: { admin: ['server'], account: 'none' } } as const
const ownReads = {
  area,
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'account' },
} as const
const ownChanges = { ...ownReads, allow: { reseller: 'edit-account', customer: true } } as const

const account = { id: Id.describe('The account') }
const alert = { lid: Id.describe('The alert') }
const channel = { cid: Id.describe('The channel') }
const secretFields = ['url', 'token', 'topic', 'chat'] as const

const columns = ['id', 'severity', 'kind', 'username', 'name', 'detail', 'state', 'since'] as const
const channelColumns = [
  'name',
  'type',
  'shape',
  'to',
  'host',
  'kinds',
  'digest',
  'enabled',
  'verified',
  'failures',
  'disabled_reason',
] as const
const createdColumns = ['secret', 'channel.id', 'channel.name', 'channel.type', 'channel.verified'] as const
const lid = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

export const listAlerts = operation({
  id: 'listAlerts',
  method: 'get',
  path: '/alerts',
  summary: 'List alerts',
  description: 'Alerts are kept for 90 days.',
  query,
  status: 200,
  answer: listed,
  ...reads,
  cli: {
    words: ['alerts', 'list'],
    columns,
    newest: true,
    examples: ['panel alerts list', 'panel alerts list --state open --severity error'],
  },
})

export const acknowledgeAlert = operation({
  id: 'acknowledgeAlert',
  method: 'post',
  path: '/alerts/{lid}/acknowledge',
  summary: 'Acknowledge an alert',
  description: 'It does not go on to another channel. It stays until its cause is gone.',
  params: z.strictObject(alert),
  body: Acknowledge,
  status: 200,
  answer: Alert,
  ...changes,
  emits: [],
  cli: { words: ['alerts', 'acknowledge'], columns, examples: [`panel alerts acknowledge ${lid} --note "on it"`] },
})

export const listAlertChannels = operation({
  id: 'listAlertChannels',
  method: 'get',
  path: '/alerts/channels',
  summary: 'List alert channels',
  status: 200,
  answer: listOf(AlertChannel),
  ...reads,
  cli: { words: ['alerts', 'channels', 'list'], columns: channelColumns, examples: ['panel alerts channels list'] },
})

const addressNote =
  "A webhook's address begins with `https://` and must be public; the server's own may also be private, or a relay on the server itself. A mail address that is not the contact gets nothing before it is confirmed by a mailed link."

export const createAlertChannel = operation({
  id: 'createAlertChannel',
  method: 'post',
  path: '/alerts/channels',
  summary: 'Add an alert channel',
  description: addressNote,
  body: CreateChannel,
  status: 201,
  answer: Created,
  secret: true,
  secretFields,
  emits: [],
  problems: ['too-many', 'exists', 'not-configured'],
  ...changes,
  cli: {
    words: ['alerts', 'channels', 'create'],
    args: ['name'],
    columns: createdColumns,
    examples: [
      'panel alerts channels create ops --type mail --to ops@example.com --kinds error',
      'panel alerts channels create chat --type webhook --shape slack --url-file url',
    ],
  },
})

export const getAlertChannel = operation({
  id: 'getAlertChannel',
  method: 'get',
  path: '/alerts/channels/{cid}',
  summary: 'Show an alert channel',
  params: z.strictObject(channel),
  status: 200,
  answer: AlertChannel,
  ...reads,
  cli: { words: ['alerts', 'channels', 'show'], columns: channelColumns, examples: ['panel alerts channels show ops'] },
})

export const updateAlertChannel = operation({
  id: 'updateAlertChannel',
  method: 'patch',
  path: '/alerts/channels/{cid}',
  summary: 'Change an alert channel',
  description: 'Its type and shape stay. Switching it on again resets its failures.',
  params: z.strictObject(channel),
  body: UpdateChannel,
  status: 200,
  answer: AlertChannel,
  secret: true,
  secretFields,
  emits: [],
  problems: ['exists', 'not-configured'],
  ...changes,
  cli: {
    words: ['alerts', 'channels', 'update'],
    columns: channelColumns,
    examples: ['panel alerts channels update ops --digest daily'],
  },
})

export const deleteAlertChannel = operation({
  id: 'deleteAlertChannel',
  method: 'delete',
  path: '/alerts/channels/{cid}',
  summary: 'Delete an alert channel',
  params: z.strictObject(channel),
  status: 204,
  emits: [],
  ...changes,
  cli: {
    words: ['alerts', 'channels', 'delete'],
    confirm: 'yes',
    examples: ['panel alerts channels delete ops --yes'],
  },
})

const testNote = 'Waits up to 10 seconds for the answer; once a minute for each channel.'

export const testAlertChannel = operation({
  id: 'testAlertChannel',
  method: 'post',
  path: '/alerts/channels/{cid}/test',
  summary: 'Send a test message to an alert channel',
  description: testNote,
  params: z.strictObject(channel),
  status: 200,
  answer: Tested,
  host: true,
  emits: [],
  problems: ['not-configured'],
  ...changes,
  cli: {
    words: ['alerts', 'channels', 'test'],
    columns: ['outcome', 'answer'],
    failsWhen: { field: 'outcome', value: 'failed' },
    examples: ['panel alerts channels test ops'],
  },
})

export const confirmAlertChannel = operation({
  id: 'confirmAlertChannel',
  method: 'post',
  path: '/alerts/confirm',
  area,
  summary: 'Confirm the mail address of an alert channel by a mailed link',
  body: component(
    'ConfirmAlertChannel',
    z.strictObject({ token: z.string().min(20).max(100).describe('The token of the link; works once, for 24 hours') }),
  ),
  status: 204,
  allow: 'anyone',
  token: { admin: 'none', account: 'none' },
  secret: true,
  sensitive: 'agents',
  emits: [],
  problems: ['csrf', 'not-found', 'rate-limited'],
})

const variant = 'account'

export const listAlertsForAccount = operation({
  id: 'listAlertsForAccount',
  method: 'get',
  path: '/accounts/{id}/alerts',
  summary: 'List alerts of an account',
  description: listAlerts.description,
  params: z.strictObject(account),
  query,
  status: 200,
  answer: listed,
  ...ownReads,
  cli: {
    words: ['alerts', 'list'],
    variant,
    columns,
    newest: true,
    examples: ['panel alerts list --account alice'],
  },
})

export const acknowledgeAlertForAccount = operation({
  id: 'acknowledgeAlertForAccount',
  method: 'post',
  path: '/accounts/{id}/alerts/{lid}/acknowledge',
  summary: 'Acknowledge an alert of an account',
  description: acknowledgeAlert.description,
  params: z.strictObject({ ...account, ...alert }),
  body: Acknowledge,
  status: 200,
  answer: Alert,
  emits: [],
  ...ownChanges,
  cli: {
    words: ['alerts', 'acknowledge'],
    variant,
    columns,
    examples: [`panel alerts acknowledge ${lid} --account alice`],
  },
})

export const listAlertChannelsForAccount = operation({
  id: 'listAlertChannelsForAccount',
  method: 'get',
  path: '/accounts/{id}/alerts/channels',
  summary: 'List alert channels of an account',
  params: z.strictObject(account),
  status: 200,
  answer: listOf(AlertChannel),
  ...ownReads,
  cli: {
    words: ['alerts', 'channels', 'list'],
    variant,
    columns: channelColumns,
    examples: ['panel alerts channels list --account alice'],
  },
})

export const createAlertChannelForAccount = operation({
  id: 'createAlertChannelForAccount',
  method: 'post',
  path: '/accounts/{id}/alerts/channels',
  summary: 'Add an alert channel of an account',
  description:
    "A webhook's address begins with `https://` and must be public. A mail address that is not the contact gets nothing before it is confirmed by a mailed link.",
  params: z.strictObject(account),
  body: CreateChannel,
  status: 201,
  answer: Created,
  secret: true,
  secretFields,
  emits: [],
  problems: ['too-many', 'exists', 'not-configured'],
  ...ownChanges,
  cli: {
    words: ['alerts', 'channels', 'create'],
    variant,
    args: ['name'],
    columns: createdColumns,
    examples: ['panel alerts channels create phone --type webhook --shape ntfy --topic-file topic --account alice'],
  },
})

export const getAlertChannelForAccount = operation({
  id: 'getAlertChannelForAccount',
  method: 'get',
  path: '/accounts/{id}/alerts/channels/{cid}',
  summary: 'Show an alert channel of an account',
  params: z.strictObject({ ...account, ...channel }),
  status: 200,
  answer: AlertChannel,
  ...ownReads,
  cli: {
    words: ['alerts', 'channels', 'show'],
    variant,
    columns: channelColumns,
    examples: ['panel alerts channels show phone --account alice'],
  },
})

export const updateAlertChannelForAccount = operation({
  id: 'updateAlertChannelForAccount',
  method: 'patch',
  path: '/accounts/{id}/alerts/channels/{cid}',
  summary: 'Change an alert channel of an account',
  description: updateAlertChannel.description,
  params: z.strictObject({ ...account, ...channel }),
  body: UpdateChannel,
  status: 200,
  answer: AlertChannel,
  secret: true,
  secretFields,
  emits: [],
  problems: ['exists', 'not-configured'],
  ...ownChanges,
  cli: {
    words: ['alerts', 'channels', 'update'],
    variant,
    columns: channelColumns,
    examples: ['panel alerts channels update phone --digest daily --account alice'],
  },
})

export const deleteAlertChannelForAccount = operation({
  id: 'deleteAlertChannelForAccount',
  method: 'delete',
  path: '/accounts/{id}/alerts/channels/{cid}',
  summary: 'Delete an alert channel of an account',
  params: z.strictObject({ ...account, ...channel }),
  status: 204,
  emits: [],
  ...ownChanges,
  cli: {
    words: ['alerts', 'channels', 'delete'],
    variant,
    confirm: 'yes',
    examples: ['panel alerts channels delete phone --account alice --yes'],
  },
})

export const testAlertChannelForAccount = operation({
  id: 'testAlertChannelForAccount',
  method: 'post',
  path: '/accounts/{id}/alerts/channels/{cid}/test',
  summary: 'Send a test message to an alert channel of an account',
  description: testNote,
  params: z.strictObject({ ...account, ...channel }),
  status: 200,
  answer: Tested,
  host: true,
  emits: [],
  problems: ['not-configured'],
  ...ownChanges,
  cli: {
    words: ['alerts', 'channels', 'test'],
    variant,
    columns: ['outcome', 'answer'],
    failsWhen: { field: 'outcome', value: 'failed' },
    examples: ['panel alerts channels test phone --account alice'],
  },
})
