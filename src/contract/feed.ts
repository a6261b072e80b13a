import { z } from 'zod'
import { component, Id, Millis } from './common.ts'
import { Event } from './events.ts'
import { operation } from './operation.ts'

const query = z.strictObject({
  after: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe('Cursor: only events after this seq'),
  before: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Cursor of a page with `order=desc`: only events before this seq'),
  order: z.enum(['asc', 'desc']).default('asc').describe('`desc`: the newest first; `next` is then for `before`'),
  since: Millis.optional().describe('Only events at or after this time'),
  limit: z.int().min(1).max(500).default(100).describe('Maximum number of events, 1 to 500'),
  type: z.string().max(2000).optional().describe('Event types and group patterns (`dns.*`), separated by commas'),
  wait: z.int().min(0).max(30).optional().describe('Seconds to wait for an event when there is none, at most 30'),
})

/** A page of the feed (contract: Event feed), oldest first by default. */
const EventPage = component(
  'EventPage',
  z.strictObject({
    items: z.array(Event),
    next: z.int().min(0).describe('Cursor for the next call'),
    gap: z.literal(true).optional().describe('Events after the cursor were already pruned'),
  }),
)
const columns = [
  'seq',
  'created_at',
  'type',
  'data.account.username',
  'data.object',
  'data.actor.type',
  'data.via',
] as const

export const listEvents = operation({
  id: 'listEvents',
  method: 'get',
  path: '/events',
  area: 'events',
  summary: 'Read the event feed of the server',
  query,
  status: 200,
  answer: EventPage,
  allow: {},
  token: { admin: ['server'], account: 'none' },
  cli: {
    words: ['events', 'list'],
    columns,
    examples: ['panel events list', 'panel events list --type account.* --output jsonl'],
  },
})

export const listEventsForAccount = operation({
  id: 'listEventsForAccount',
  method: 'get',
  path: '/accounts/{id}/events',
  area: 'events',
  summary: 'Read the event feed of an account',
  params: z.strictObject({ id: Id.describe('The account') }),
  query,
  status: 200,
  answer: EventPage,
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: 'events' },
  feature: 'api_tokens',
  cli: { words: ['events', 'list'], variant: 'account', columns, examples: ['panel events list --account alice'] },
})
