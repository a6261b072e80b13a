import { eq } from 'drizzle-orm'
import { events, eventTypes } from '../../contract/events.ts'
import type { Input, Output } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/webhooks.ts'
import { entryOf } from '../../contract/webhooks.ts'
import type { Reach } from '../../outgoing/address.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { refuseBadChoices } from './choices.ts'
import { clean } from './delinquency.ts'
import { ping } from './ping.sql.ts'
import { redeliver, redeliverSince } from './redeliver.sql.ts'
import { newSecret, sealSecret } from './secret.ts'
import { skipDue } from './settle.sql.ts'
import { countWebhooks, findDelivery, listDeliveries, listWebhooks, toDeliveries, toWebhook } from './store.ts'
import { type WebhookRow, webhooks } from './tables.ts'
import { ownAddresses } from './url.ts'

const MAX_WEBHOOKS = 20
const hour = 3_600_000

type Create = Input<typeof declared.createWebhook>['body']
type Update = Input<typeof declared.updateWebhook>['body']

const reachOf = (accountId: string | null | undefined): Reach => (accountId ? 'public' : 'private')

const list = (ctx: Context, accountId?: string) => ({ items: listWebhooks(ctx, accountId).map(toWebhook) })

function create(ctx: Context, body: Create, account?: FoundAccount): Output<typeof declared.createWebhook> {
  refuseBadChoices(body, reachOf(account?.id), ownAddresses(ctx.runtime))
  if (countWebhooks(ctx, account?.id) >= MAX_WEBHOOKS)
    throw new Problem('too-many', `There are already ${MAX_WEBHOOKS} webhooks; delete one first.`)
  const secret = newSecret()
  const row = rowOf(ctx, body, sealSecret(ctx.runtime, secret), account)
  ctx.db.insert(webhooks).values(row).run()
  ctx.note({ ...(account ? { account } : {}), object_id: row.id, after: viewOf(row) })
  return { secret, webhook: toWebhook(row) }
}

const rowOf = (ctx: Context, body: Create, secret: string, account: FoundAccount | undefined): WebhookRow => ({
  id: ctx.id(),
  account_id: account?.id ?? null,
  url: body.url,
  description: body.description ?? '',
  enabled: body.enabled ?? true,
  events: [...new Set(body.events ?? ['*'])],
  secret,
  former_secret: null,
  former_until: null,
  consecutive_failures: 0,
  failing_since: null,
  disabled_reason: null,
  created_at: ctx.now,
  updated_at: ctx.now,
})

/** What the audit trail shows: never the secret. */
const viewOf = ({ url, description, enabled, events: chosen }: WebhookRow) => ({
  url,
  description,
  enabled,
  events: chosen,
})

function set(ctx: Context, row: WebhookRow, values: Partial<WebhookRow>): WebhookRow {
  ctx.db
    .update(webhooks)
    .set({ ...values, updated_at: ctx.now })
    .where(eq(webhooks.id, row.id))
    .run()
  return { ...row, ...values, updated_at: ctx.now }
}

/** A context with a webhook of the server or of an account. */
type WebhooksContext = Context & { readonly found: { readonly webhook: WebhookRow; readonly account?: FoundAccount } }

function note(
  ctx: WebhooksContext,
  row: WebhookRow,
  what: { before?: Record<string, unknown>; after?: Record<string, unknown> } = {},
) {
  ctx.note({
    ...(ctx.found.account ? { account: ctx.found.account } : {}),
    object_id: row.id,
    ...what,
  })
}

function update(ctx: WebhooksContext, row: WebhookRow, body: Update): Output<typeof declared.updateWebhook> {
  refuseBadChoices(body, reachOf(row.account_id), ownAddresses(ctx.runtime))
  if (Object.keys(body).length === 0) return toWebhook(row)
  const switchedOn = body.enabled === true && !row.enabled
  const changed = set(ctx, row, {
    ...body,
    ...(body.events ? { events: [...new Set(body.events)] } : {}),
    ...(switchedOn ? clean : {}),
  })
  if (row.enabled && !changed.enabled) skipDue(ctx.runtime, row.id)
  note(ctx, row, { before: viewOf(row), after: viewOf(changed) })
  return toWebhook(changed)
}

function remove(ctx: WebhooksContext, row: WebhookRow): undefined {
  ctx.db.delete(webhooks).where(eq(webhooks.id, row.id)).run()
  ctx.afterCommit(() => ctx.runtime.signals.emit('orphans'))
  note(ctx, row, { before: viewOf(row) })
  return undefined
}

const sent = (ctx: Context, row: WebhookRow, limit: number) => ({
  items: toDeliveries(ctx, listDeliveries(ctx, row.id, limit)),
})

function sendAgain(
  ctx: WebhooksContext,
  row: WebhookRow,
  deliveryId: string,
): Output<typeof declared.redeliverWebhook> {
  findDelivery(ctx, row.id, deliveryId)
  redeliver(ctx, row, deliveryId)
  note(ctx, row, { after: { redelivered: deliveryId } })
  return toDeliveries(ctx, [findDelivery(ctx, row.id, deliveryId)])[0]!
}

function sendAllAgain(ctx: WebhooksContext, row: WebhookRow, since: number) {
  const answer = redeliverSince(ctx, row, since)
  note(ctx, row, { after: { redelivered: answer.count, since } })
  return answer
}

function rotate(ctx: WebhooksContext, row: WebhookRow, graceHours: number) {
  const secret = newSecret()
  const grace = graceHours > 0
  set(ctx, row, {
    secret: sealSecret(ctx.runtime, secret),
    former_secret: grace ? row.secret : null,
    former_until: grace ? ctx.now + graceHours * hour : null,
  })
  note(ctx, row, { after: { grace_hours: graceHours } })
  return { secret }
}

function test(ctx: WebhooksContext, row: WebhookRow, account?: FoundAccount) {
  const event_id = ping(ctx, row, account)
  note(ctx, row)
  return { event_id }
}

const catalog = (forAccount: boolean) => ({
  items: eventTypes.filter((type) => !forAccount || events[type].account).map(entryOf),
})

export const webhookOperations: {
  readonly [K in keyof typeof declared as (typeof declared)[K] extends { id: K } ? K : never]: Handler<
    (typeof declared)[K]
  >
} = {
  listWebhooks: { handle: (ctx) => list(ctx) },
  createWebhook: { handle: (ctx, { body }) => create(ctx, body) },
  webhookCatalog: { handle: () => catalog(false) },
  getWebhook: { handle: ({ found }) => toWebhook(found.webhook) },
  updateWebhook: { handle: (ctx, { body }) => update(ctx, ctx.found.webhook, body) },
  deleteWebhook: { handle: (ctx) => remove(ctx, ctx.found.webhook) },
  webhookDeliveries: {
    handle: (ctx, { query }) => sent(ctx, ctx.found.webhook, query.limit),
  },
  redeliverWebhook: {
    handle: (ctx) => sendAgain(ctx, ctx.found.webhook, ctx.found.delivery.id),
  },
  redeliverWebhookSince: {
    handle: (ctx, { body }) => sendAllAgain(ctx, ctx.found.webhook, body.since),
  },
  rotateWebhookSecret: {
    handle: (ctx, { body }) => rotate(ctx, ctx.found.webhook, body.grace_hours),
  },
  testWebhook: { handle: (ctx) => test(ctx, ctx.found.webhook) },

  listWebhooksForAccount: { handle: (ctx) => list(ctx, ctx.found.account.id) },
  createWebhookForAccount: { handle: (ctx, { body }) => create(ctx, body, ctx.found.account) },
  webhookCatalogForAccount: { handle: () => catalog(true) },
  getWebhookForAccount: { handle: ({ found }) => toWebhook(found.webhook) },
  updateWebhookForAccount: { handle: (ctx, { body }) => update(ctx, ctx.found.webhook, body) },
  deleteWebhookForAccount: { handle: (ctx) => remove(ctx, ctx.found.webhook) },
  webhookDeliveriesForAccount: {
    handle: (ctx, { query }) => sent(ctx, ctx.found.webhook, query.limit),
  },
  redeliverWebhookForAccount: { handle: (ctx) => sendAgain(ctx, ctx.found.webhook, ctx.found.delivery.id) },
  redeliverWebhookSinceForAccount: {
    handle: (ctx, { body }) => sendAllAgain(ctx, ctx.found.webhook, body.since),
  },
  rotateWebhookSecretForAccount: {
    handle: (ctx, { body }) => rotate(ctx, ctx.found.webhook, body.grace_hours),
  },
  testWebhookForAccount: {
    handle: (ctx) => test(ctx, ctx.found.webhook, ctx.found.account),
  },
}
