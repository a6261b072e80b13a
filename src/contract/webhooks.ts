import { z } from 'zod'
import { component, Id, listOf, Millis } from './common.ts'
import { type EventType, events, eventTypes, exampleOf, groupOf } from './events.ts'
import { operation } from './operation.ts'

export const deliveryStatuses = ['pending', 'retrying', 'succeeded', 'abandoned', 'skipped'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
export const attemptErrors = [
  'timeout',
  'dns',
  'connect',
  'tls',
  'blocked-address',
  'answer',
  'redirect',
  'status',
  'interrupted',
] as const
export type AttemptError = (typeof attemptErrors)[number]

/** A webhook without its secret (contract: StoreWebhookEndpoint). */
export const Webhook = component(
  'Webhook',
  z.strictObject({
    id: Id,
    url: z.string(),
    description: z.string(),
    enabled: z.boolean(),
    events: z.array(z.string()).describe('Event types and group patterns; `*` means all, future ones included'),
    consecutive_failures: z.int().min(0).describe('Consecutive failed attempts; 50 switch it off'),
    created_at: Millis,
    updated_at: Millis,
    owner_type: z.enum(['server', 'account']),
    account_id: Id.optional().describe('The account of an account webhook'),
    disabled_reason: z.string().optional().describe('Why the server switched it off'),
  }),
)

const Attempt = component(
  'DeliveryAttempt',
  z.strictObject({
    number: z.int().min(1).describe('Counts the attempts of this delivery; never repeats'),
    at: Millis,
    duration_ms: z.int().min(0),
    http_status: z.int().min(100).max(999).optional(),
    error: z
      .enum(attemptErrors)
      .optional()
      .describe('Why it failed; `interrupted`: the server stopped during the attempt'),
    response_start: z.string().optional().describe('Start of the answer, at most 1,024 characters'),
  }),
)

/** One event for one webhook. */
export const Delivery = component(
  'Delivery',
  z.strictObject({
    id: Id,
    webhook_id: Id,
    event_id: Id,
    event_type: z.enum(eventTypes),
    status: z.enum(deliveryStatuses).describe('`skipped`: the webhook was off; only a redelivery sends it'),
    created_at: Millis,
    next_attempt_at: Millis.optional(),
    attempts: z.array(Attempt),
  }),
)

/** An event type that can be subscribed to. */
export const EventTypeEntry = component(
  'EventType',
  z.strictObject({
    type: z.enum(eventTypes),
    group: z.string().describe('`dns.*` matches the types of the group `dns`'),
    description: z.string(),
    account_webhooks: z.boolean().describe('Whether webhooks of an account receive it'),
    example: z.record(z.string(), z.unknown()).describe('A complete body as it is posted'),
  }),
)

/** A type's entry in the catalog. */
export const entryOf = (type: EventType): z.input<typeof EventTypeEntry> => ({
  type,
  group: groupOf(type),
  description: events[type].summary,
  account_webhooks: events[type].account,
  example: exampleOf(type) as unknown as Record<string, unknown>,
})

const choices = {
  url: z.string().min(1).max(2048).describe('Where events are posted: `https://…`'),
  events: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(100)
    .optional()
    .describe('Event types and group patterns (`dns.*`); all by default'),
  description: z
    .string()
    .max(255)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
    .optional(),
  enabled: z.boolean().optional().describe('Whether it receives events (default: true)'),
}
const CreateWebhook = component('CreateWebhook', z.strictObject(choices))
const UpdateWebhook = component('UpdateWebhook', z.strictObject({ ...choices, url: choices.url.optional() }))
const CreatedWebhook = component(
  'CreatedWebhook',
  z.strictObject({ secret: z.string().describe('Signs deliveries; shown only once'), webhook: Webhook }),
)
const RotateSecret = component(
  'RotateWebhookSecret',
  z.strictObject({
    grace_hours: z
      .int()
      .min(0)
      .max(72)
      .default(0)
      .describe(
        'How long `webhook-signature` also carries the old signature; X-Panel-Signature uses the new secret immediately',
      ),
  }),
)
const Rotated = component('RotatedWebhookSecret', z.strictObject({ secret: z.string().describe('Shown only once') }))
const RedeliverSince = component(
  'RedeliverSince',
  z.strictObject({ since: Millis.describe('Deliveries since this time that failed or were skipped') }),
)
const Redelivered = component(
  'Redelivered',
  z.strictObject({
    count: z.int().min(0).describe('Deliveries that will be sent again'),
    more: z.literal(true).optional().describe('There are more: repeat the request'),
  }),
)
const Pinged = component('PingedWebhook', z.strictObject({ event_id: Id }))

const limit = z.strictObject({
  limit: z.int().min(1).max(500).default(50).describe('Maximum number of deliveries, newest first, 1 to 500'),
})
const fieldCodes = { url: 'invalid-url', events: 'invalid-events', description: 'invalid-description' } as const
const server = { area: 'webhooks', allow: {}, token: { admin: ['server'], account: 'none' } } as const
const own = {
  area: 'webhooks',
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: 'webhooks' },
  feature: 'api_tokens',
} as const

const account = { id: Id.describe('The account') }
const webhook = { wid: Id.describe('The webhook') }
const delivery = { did: Id.describe('The delivery') }

const columns = ['id', 'url', 'events', 'enabled', 'consecutive_failures', 'disabled_reason'] as const
const created = ['secret', 'webhook.id', 'webhook.url', 'webhook.events', 'webhook.enabled'] as const
const delivered = [
  'id',
  'event_type',
  'status',
  'created_at',
  'attempts.http_status',
  'attempts.error',
  'next_attempt_at',
] as const
const wid = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'
const did = '01K9ZQ5T3M8V4X7C2B6N1D0FGJ'

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'get',
  path: '/webhooks',
  summary: "List the server's webhooks",
  status: 200,
  answer: listOf(Webhook),
  ...server,
  cli: { words: ['webhooks', 'list'], columns, examples: ['panel webhooks list'] },
})

export const createWebhook = operation({
  id: 'createWebhook',
  method: 'post',
  path: '/webhooks',
  summary: 'Create a webhook of the server',
  description: 'The address begins with `https://`, or is a relay on the server itself: `http://127.0.0.1:<port>/`.',
  body: CreateWebhook,
  status: 201,
  answer: CreatedWebhook,
  secret: true,
  emits: [],
  problems: ['too-many'],
  fieldCodes,
  ...server,
  cli: {
    words: ['webhooks', 'create'],
    args: ['url'],
    columns: created,
    examples: ['panel webhooks create https://billing.example/hooks/panel --events account.*,job.*'],
  },
})

export const webhookCatalog = operation({
  id: 'webhookCatalog',
  method: 'get',
  path: '/webhooks/events',
  summary: 'List every event type, with an example',
  status: 200,
  answer: listOf(EventTypeEntry),
  ...server,
  cli: {
    words: ['webhooks', 'catalog'],
    columns: ['type', 'group', 'account_webhooks', 'description'],
    examples: ['panel webhooks catalog'],
  },
})

export const getWebhook = operation({
  id: 'getWebhook',
  method: 'get',
  path: '/webhooks/{wid}',
  summary: 'Show a webhook',
  params: z.strictObject(webhook),
  status: 200,
  answer: Webhook,
  ...server,
  cli: { words: ['webhooks', 'show'], columns, examples: [`panel webhooks show ${wid}`] },
})

export const updateWebhook = operation({
  id: 'updateWebhook',
  method: 'patch',
  path: '/webhooks/{wid}',
  summary: 'Change a webhook',
  description:
    'Switching it off skips pending deliveries; switching it on again resets its failures. Skipped deliveries are not sent automatically.',
  params: z.strictObject(webhook),
  body: UpdateWebhook,
  status: 200,
  answer: Webhook,
  emits: [],
  fieldCodes,
  ...server,
  cli: {
    words: ['webhooks', 'update'],
    columns,
    examples: [`panel webhooks update ${wid} --enabled`],
  },
})

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  method: 'delete',
  path: '/webhooks/{wid}',
  summary: 'Delete a webhook and its deliveries',
  params: z.strictObject(webhook),
  status: 204,
  emits: [],
  ...server,
  cli: { words: ['webhooks', 'delete'], confirm: 'yes', examples: [`panel webhooks delete ${wid} --yes`] },
})

export const webhookDeliveries = operation({
  id: 'webhookDeliveries',
  method: 'get',
  path: '/webhooks/{wid}/deliveries',
  summary: 'List the deliveries of a webhook, newest first',
  params: z.strictObject(webhook),
  query: limit,
  status: 200,
  answer: listOf(Delivery),
  ...server,
  cli: { words: ['webhooks', 'deliveries'], columns: delivered, examples: [`panel webhooks deliveries ${wid}`] },
})

export const redeliverWebhook = operation({
  id: 'redeliverWebhook',
  method: 'post',
  path: '/webhooks/{wid}/deliveries/{did}/redeliver',
  summary: 'Send an event again',
  description: 'One more attempt of the same delivery, with the same event id; also while the webhook is off.',
  params: z.strictObject({ ...webhook, ...delivery }),
  status: 202,
  answer: Delivery,
  emits: [],
  ...server,
  cli: { words: ['webhooks', 'redeliver'], columns: delivered, examples: [`panel webhooks redeliver ${wid} ${did}`] },
})

export const redeliverWebhookSince = operation({
  id: 'redeliverWebhookSince',
  method: 'post',
  path: '/webhooks/{wid}/redeliver',
  summary: 'Resend what failed or was skipped since a time',
  description: 'Oldest first, at most 10,000; `more` is true if there are others.',
  params: z.strictObject(webhook),
  body: RedeliverSince,
  status: 202,
  answer: Redelivered,
  emits: [],
  ...server,
  cli: {
    words: ['webhooks', 'redeliver-since'],
    args: ['since'],
    columns: ['count', 'more'],
    examples: [`panel webhooks redeliver-since ${wid} 2026-01-15T12:00:00Z`],
  },
})

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/webhooks/{wid}/rotate-secret',
  summary: "Replace a webhook's secret",
  params: z.strictObject(webhook),
  body: RotateSecret,
  status: 200,
  answer: Rotated,
  secret: true,
  emits: [],
  ...server,
  cli: {
    words: ['webhooks', 'rotate-secret'],
    columns: ['secret'],
    examples: [`panel webhooks rotate-secret ${wid} --grace-hours 24`],
  },
})

export const testWebhook = operation({
  id: 'testWebhook',
  method: 'post',
  path: '/webhooks/{wid}/test',
  summary: 'Send a webhook.ping to a webhook',
  description: 'Sent only to this webhook, whatever its events, even while it is off.',
  params: z.strictObject(webhook),
  status: 202,
  answer: Pinged,
  emits: ['webhook.ping'],
  ...server,
  cli: {
    words: ['webhooks', 'test'],
    columns: ['event_id'],
    unless: { event_id: 'What came of it: panel webhooks deliveries {webhook}' },
    examples: [`panel webhooks test ${wid}`],
  },
})

export const listWebhooksForAccount = operation({
  id: 'listWebhooksForAccount',
  method: 'get',
  path: '/accounts/{id}/webhooks',
  summary: "List an account's webhooks",
  params: z.strictObject(account),
  status: 200,
  answer: listOf(Webhook),
  ...own,
  cli: { words: ['webhooks', 'list'], variant: 'account', columns, examples: ['panel webhooks list --account alice'] },
})

export const createWebhookForAccount = operation({
  id: 'createWebhookForAccount',
  method: 'post',
  path: '/accounts/{id}/webhooks',
  summary: 'Create a webhook of an account',
  description: 'The address begins with `https://` and must be public.',
  params: z.strictObject(account),
  body: CreateWebhook,
  status: 201,
  answer: CreatedWebhook,
  secret: true,
  emits: [],
  problems: ['too-many'],
  fieldCodes,
  ...own,
  cli: {
    words: ['webhooks', 'create'],
    variant: 'account',
    args: ['url'],
    columns: created,
    examples: ['panel webhooks create https://alice.example/hook --events dns.* --account alice'],
  },
})

export const webhookCatalogForAccount = operation({
  id: 'webhookCatalogForAccount',
  method: 'get',
  path: '/accounts/{id}/webhooks/events',
  summary: "List the event types that an account's webhooks receive",
  params: z.strictObject(account),
  status: 200,
  answer: listOf(EventTypeEntry),
  ...own,
  cli: {
    words: ['webhooks', 'catalog'],
    variant: 'account',
    columns: ['type', 'group', 'account_webhooks', 'description'],
    examples: ['panel webhooks catalog --account alice'],
  },
})

export const getWebhookForAccount = operation({
  id: 'getWebhookForAccount',
  method: 'get',
  path: '/accounts/{id}/webhooks/{wid}',
  summary: "Show an account's webhook",
  params: z.strictObject({ ...account, ...webhook }),
  status: 200,
  answer: Webhook,
  ...own,
  cli: {
    words: ['webhooks', 'show'],
    variant: 'account',
    columns,
    examples: [`panel webhooks show ${wid} --account alice`],
  },
})

export const updateWebhookForAccount = operation({
  id: 'updateWebhookForAccount',
  method: 'patch',
  path: '/accounts/{id}/webhooks/{wid}',
  summary: "Change an account's webhook",
  description: updateWebhook.description,
  params: z.strictObject({ ...account, ...webhook }),
  body: UpdateWebhook,
  status: 200,
  answer: Webhook,
  emits: [],
  fieldCodes,
  ...own,
  cli: {
    words: ['webhooks', 'update'],
    variant: 'account',
    columns,
    examples: [`panel webhooks update ${wid} --events dns.* --account alice`],
  },
})

export const deleteWebhookForAccount = operation({
  id: 'deleteWebhookForAccount',
  method: 'delete',
  path: '/accounts/{id}/webhooks/{wid}',
  summary: "Delete an account's webhook and its deliveries",
  params: z.strictObject({ ...account, ...webhook }),
  status: 204,
  emits: [],
  ...own,
  cli: {
    words: ['webhooks', 'delete'],
    variant: 'account',
    confirm: 'yes',
    examples: [`panel webhooks delete ${wid} --account alice --yes`],
  },
})

export const webhookDeliveriesForAccount = operation({
  id: 'webhookDeliveriesForAccount',
  method: 'get',
  path: '/accounts/{id}/webhooks/{wid}/deliveries',
  summary: "List the deliveries of an account's webhook, newest first",
  params: z.strictObject({ ...account, ...webhook }),
  query: limit,
  status: 200,
  answer: listOf(Delivery),
  ...own,
  cli: {
    words: ['webhooks', 'deliveries'],
    variant: 'account',
    columns: delivered,
    examples: [`panel webhooks deliveries ${wid} --account alice`],
  },
})

export const redeliverWebhookForAccount = operation({
  id: 'redeliverWebhookForAccount',
  method: 'post',
  path: '/accounts/{id}/webhooks/{wid}/deliveries/{did}/redeliver',
  summary: "Send an event again to an account's webhook",
  description: redeliverWebhook.description,
  params: z.strictObject({ ...account, ...webhook, ...delivery }),
  status: 202,
  answer: Delivery,
  emits: [],
  ...own,
  cli: {
    words: ['webhooks', 'redeliver'],
    variant: 'account',
    columns: delivered,
    examples: [`panel webhooks redeliver ${wid} ${did} --account alice`],
  },
})

export const redeliverWebhookSinceForAccount = operation({
  id: 'redeliverWebhookSinceForAccount',
  method: 'post',
  path: '/accounts/{id}/webhooks/{wid}/redeliver',
  summary: "Resend what failed or was skipped since a time to an account's webhook",
  description: redeliverWebhookSince.description,
  params: z.strictObject({ ...account, ...webhook }),
  body: RedeliverSince,
  status: 202,
  answer: Redelivered,
  emits: [],
  ...own,
  cli: {
    words: ['webhooks', 'redeliver-since'],
    variant: 'account',
    args: ['since'],
    columns: ['count', 'more'],
    examples: [`panel webhooks redeliver-since ${wid} 2026-01-15T12:00:00Z --account alice`],
  },
})

export const rotateWebhookSecretForAccount = operation({
  id: 'rotateWebhookSecretForAccount',
  method: 'post',
  path: '/accounts/{id}/webhooks/{wid}/rotate-secret',
  summary: "Replace the secret of an account's webhook",
  params: z.strictObject({ ...account, ...webhook }),
  body: RotateSecret,
  status: 200,
  answer: Rotated,
  secret: true,
  emits: [],
  ...own,
  cli: {
    words: ['webhooks', 'rotate-secret'],
    variant: 'account',
    columns: ['secret'],
    examples: [`panel webhooks rotate-secret ${wid} --account alice`],
  },
})

export const testWebhookForAccount = operation({
  id: 'testWebhookForAccount',
  method: 'post',
  path: '/accounts/{id}/webhooks/{wid}/test',
  summary: "Send a webhook.ping to an account's webhook",
  description:
    'Sent only to this webhook, whatever its events, even while it is off; at most ten a minute for an account.',
  params: z.strictObject({ ...account, ...webhook }),
  status: 202,
  answer: Pinged,
  emits: ['webhook.ping'],
  ...own,
  cli: {
    words: ['webhooks', 'test'],
    variant: 'account',
    columns: ['event_id'],
    unless: { event_id: 'What came of it: panel webhooks deliveries {webhook}, for the same account' },
    examples: [`panel webhooks test ${wid} --account alice`],
  },
})
