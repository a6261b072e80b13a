import type { Area } from '../../runtime/areas/area.ts'
import { Dispatcher } from './dispatch.ts'
import { offWebhooks } from './notices.ts'
import { webhookOperations } from './operations.ts'
import { deliverEvent } from './outbox.sql.ts'
import { pruneDeliveries } from './prune.sql.ts'
import type { FullDelivery } from './store.ts'
import { endWebhooks, findDelivery, findWebhook } from './store.ts'
import { stored } from './stored.ts'
import type { WebhookRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/webhooks/{wid}': { webhook: WebhookRow }
    '/webhooks/{wid}/deliveries/{did}': { delivery: FullDelivery }
    '/accounts/{id}/webhooks/{wid}': { webhook: WebhookRow }
    '/accounts/{id}/webhooks/{wid}/deliveries/{did}': { delivery: FullDelivery }
  }
}

export const webhooks = {
  name: 'webhooks',
  handlers: webhookOperations,
  finders: {
    '/webhooks/{wid}': (ctx, { wid }) => ({ webhook: findWebhook(ctx, wid, undefined) }),
    '/webhooks/{wid}/deliveries/{did}': (ctx, { wid, did }) => ({ delivery: findDelivery(ctx, wid, did) }),
    '/accounts/{id}/webhooks/{wid}': (ctx, { id, wid }) => ({ webhook: findWebhook(ctx, wid, id) }),
    '/accounts/{id}/webhooks/{wid}/deliveries/{did}': (ctx, { wid, did }) => ({
      delivery: findDelivery(ctx, wid, did),
    }),
  },
  ofAccount: { notices: offWebhooks, end: (ctx, { id }) => endWebhooks(ctx, id) },
  onEvent: deliverEvent,
  onPrune: pruneDeliveries,
  start: (runtime, { outgoing }) => Dispatcher.begin(runtime, outgoing),
  stored,
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
