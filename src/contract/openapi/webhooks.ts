import type { z } from 'zod'
import { type EventType, events, eventTypes, exampleOf, webhookBody } from '../events.ts'
import type { Json, Translation } from './schemas.ts'

/** The schemas of webhook bodies, by event type. */
export const payloads = (): Map<string, z.ZodType> => new Map(eventTypes.map((type) => [type, webhookBody(type)]))

const common = [
  'X-Panel-Delivery',
  'X-Panel-Timestamp',
  'X-Panel-Signature',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]

const header = (name: string, description: string, example: unknown, schema: Json = { type: 'string' }): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
})

/** The headers of every delivery (contract: Webhook delivery). */
export const deliveryHeaders: Record<string, Json> = {
  'X-Panel-Delivery': header(
    'X-Panel-Delivery',
    '`<event_id>-<number>` of the attempt',
    '01K9ZQ5T3M8V4X7C2B6N1D0FGE-1',
  ),
  'X-Panel-Timestamp': header(
    'X-Panel-Timestamp',
    'Unix time in seconds; reject a request older than 300 seconds',
    1763640000,
    {
      type: 'integer',
      format: 'int64',
    },
  ),
  'X-Panel-Signature': header(
    'X-Panel-Signature',
    '`sha256=` and the hex HMAC-SHA256 of `<timestamp>.<raw body>`, keyed with the whole secret. Verify before parsing, in constant time.',
    'sha256=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
    { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
  ),
  'webhook-id': header('webhook-id', 'The event id (Standard Webhooks)', '01K9ZQ5T3M8V4X7C2B6N1D0FGE'),
  'webhook-timestamp': header('webhook-timestamp', 'Unix time in seconds (Standard Webhooks)', '1763640000'),
  'webhook-signature': header(
    'webhook-signature',
    '`v1,` and a base64 signature (Standard Webhooks)',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
}

/** What a receiver's responses mean (contract: Webhook delivery). */
export const deliveryResponses: Record<string, Json> = {
  DeliveryAccepted: { description: 'Accepted. Any other answer, or none within 10 seconds, is retried.' },
  DeliveryRefused: { description: 'Not accepted; retried, eight attempts in total.' },
}

const idOf = (type: EventType) =>
  `on${type
    .split(/[._]/)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')}`

const receivers = (type: EventType) =>
  events[type].account
    ? 'Webhooks of the server and of the account receive it.'
    : 'Only webhooks of the server receive it.'

const headersOf = (type: EventType): Json[] => [
  header('X-Panel-Event', 'The event type', type, { type: 'string', const: type }),
  ...common.map((name) => ({ $ref: `#/components/parameters/${name}` })),
]

const hook = (type: EventType, output: Translation): Json => ({
  operationId: idOf(type),
  tags: ['webhooks'],
  summary: events[type].summary,
  description: receivers(type),
  parameters: headersOf(type),
  requestBody: {
    required: true,
    content: { 'application/json': { schema: output.of(type), example: exampleOf(type) } },
  },
  responses: {
    '2XX': { $ref: '#/components/responses/DeliveryAccepted' },
    '4XX': { $ref: '#/components/responses/DeliveryRefused' },
  },
  security: [],
  'x-panel': { account_webhooks: events[type].account },
})

/** The webhooks' entries: one for each event type. */
export const webhooks = (output: Translation): Record<string, Json> =>
  Object.fromEntries(eventTypes.map((type) => [type, { post: hook(type, output) }]))
