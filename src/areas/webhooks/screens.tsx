import { events, eventTypes, groupOf } from '../../contract/events.ts'
import { type Crud, crud } from '../../web/kit/crud.ts'
import type { Suggestions } from '../../web/kit/forms/boxes.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { deliveryPage } from './views/delivery.tsx'
import { webhookPage } from './views/verify.tsx'

/** The groups of event types; those of an account only with types that its webhooks receive. */
function eventSuggestions(forAccount: boolean): Suggestions {
  const types = eventTypes.filter((type) => !forAccount || events[type].account)
  const groups = [...new Set(types.map(groupOf))].sort().map((group) => `${group}.*`)
  return {
    options: [{ value: '*', label: 'All events' }, ...groups.map((value) => ({ value, label: value }))],
    others: 'Other event types, one per line',
    catalog: { href: '/docs#events-list', text: 'All event types' },
  }
}

const webhooks: Crud = {
  path: '/webhooks',
  title: 'Webhooks',
  one: 'webhook',
  member: 'webhook',
  name: 'url',
  find: ['events', 'deliveries', 'notifications'],
  columns: ['url', 'events', 'enabled', 'consecutive_failures', 'created_at'],
  empty: 'A webhook posts events to a URL of yours as they happen, signed with its secret.',
  deletes: ['Its deliveries are deleted too.'],
  primary: ['url', 'events'],
  views: { one: webhookPage },
}

const to = '/webhooks/{webhook_id}/deliveries/{id}'
const columns = ['created_at', 'event_type', 'status', 'next_attempt_at']
const newest = 50
const deliveries = { title: 'Deliveries', columns, to, newest, query: { limit: String(newest + 1) } } as const
const tested = { done: 'Test event queued.', label: 'Send a test event' }
const rotated = { done: 'New secret', label: 'Rotate the secret' }
const again = { done: 'Deliveries queued again.', label: 'Redeliver since a time' }
const redelivered = { done: 'Queued for delivery again.', label: 'Redeliver' }
const delivery = { path: '/webhooks/{webhook}/deliveries/{delivery}', title: 'Delivery', view: deliveryPage } as const

export const screens: readonly Screen[] = [
  ...crud('listWebhooks', {
    ...webhooks,
    suggests: { events: eventSuggestions(false) },
    nav: { group: 'connect', order: 20 },
    acts: { testWebhook: tested, redeliverWebhookSince: again, rotateWebhookSecret: rotated },
    sections: { deliveries: { run: 'webhookDeliveries', ...deliveries } },
  }),
  {
    ...delivery,
    shows: 'webhookDeliveries',
    query: { limit: '500' },
    acts: { redeliverWebhook: redelivered },
  },
  ...crud('listWebhooksForAccount', {
    ...webhooks,
    suggests: { events: eventSuggestions(true) },
    acts: {
      testWebhookForAccount: tested,
      redeliverWebhookSinceForAccount: again,
      rotateWebhookSecretForAccount: rotated,
    },
    sections: { deliveries: { run: 'webhookDeliveriesForAccount', ...deliveries } },
  }),
  {
    ...delivery,
    shows: 'webhookDeliveriesForAccount',
    query: { limit: '500' },
    acts: { redeliverWebhookForAccount: redelivered },
  },
]
