import { isNotNull } from 'drizzle-orm'
import { type Notices, noticeRowsOf } from '../accounts/objects/notice.ts'
import { webhooks } from './tables.ts'

const faulty = {
  kind: 'webhook-off',
  id: webhooks.id,
  account: webhooks.account_id,
  since: webhooks.updated_at,
} as const

const off = noticeRowsOf(faulty, (db) => db.select().from(webhooks).$dynamic(), isNotNull(webhooks.disabled_reason))

/** Webhooks disabled after repeated failures; shows only the host, since the rest of a URL can hold a secret. */
export const offWebhooks: Notices = ({ db }, scope) =>
  off(db, scope).map((webhook) => ({
    kind: faulty.kind,
    severity: 'error',
    object: 'webhook',
    object_id: webhook.id,
    name: new URL(webhook.url).host,
    detail: webhook.disabled_reason!,
    since: webhook.updated_at,
    ...(webhook.account_id === null
      ? { operation: 'updateWebhook' }
      : { operation: 'updateWebhookForAccount', account_id: webhook.account_id }),
  }))
