import { eq } from 'drizzle-orm'
import { events, eventTypes } from '../../contract/events.ts'
import type { Input, Output } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/webhooks.ts'
import { entryOf } from '../../contract/webhooks.ts'
import type { Reach } from '../../outgoing/address.ts'
import type { Context } from '../../runtime/context.ts'
import type { Handler } from '../../runtime/run.ts'
import { type FullAccount, findAccount, nameOf } from '../accounts/store.ts'
import { refuseBadChoices } from './choices.ts'
import { clean } from './delinquency.ts'
import { ping } from './ping.ts'
import { redeliver, redeliverSince } from './redeliver.ts'
import { newSecret, sealSecret } from './secret.ts'
import { skipDue } from './settle.ts'
import {
  countWebhooks,
  findDelivery,
  findWebhook,
  listDeliveries,
  listWebhooks,
  toDeliveries,
  toWebhook,
} from './store.ts'
import { type WebhookRow, webhooks } from './tables.ts'

const most = 20
const hour = 3_600_000

type Create = Input<typeof declared.createWebhook>['body']
type Update = Input<typeof declared.updateWebhook>['body']

const reachOf = (accountId: string | null | undefined): Reach => (accountId ? 'public' : 'private')

/** Where the panel itself is: no webhook may point there. */
function hereOf({ runtime }: Context) {
  const { port, protocol } = new URL(runtime.baseUrl)
  return { hostname: runtime.hostname, panelPorts: [Number(port) || (protocol === 'http:' ? 80 : 443)] }
}

const list = (ctx: Context, accountId?: string) => ({ items: listWebhooks(ctx, accountId).map(toWebhook) })

function create(ctx: Context, body: Create, account?: FullAccount): Output<typeof declared.createWebhook> {
  if (account?.terminating) throw new Problem('busy', `${account.username} is being terminated.`)
  refuseBadChoices(body, reachOf(account?.id), hereOf(ctx))
  if (countWebhooks(ctx, account?.id) >= most)
    throw new Problem('too-many', `There are ${most} webhooks already; delete one first.`)
  const secret = newSecret()
  const row = rowOf(ctx, body, sealSecret(ctx.runtime, secret), account)
  ctx.db.insert(webhooks).values(row).run()
  ctx.note({ ...(account ? { account } : {}), object_id: row.id, after: shown(row) })
  return { secret, webhook: toWebhook(row) }
}

const rowOf = (ctx: Context, body: Create, secret: string, account: FullAccount | undefined): WebhookRow => ({
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

/** What the audit trail keeps: never the secret. */
const shown = ({ url, description, enabled, events: chosen }: WebhookRow) => ({
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

function note(
  ctx: Context,
  row: WebhookRow,
  what: { before?: Record<string, unknown>; after?: Record<string, unknown> } = {},
) {
  ctx.note({
    ...(row.account_id === null ? {} : { account: findAccount(ctx, row.account_id) }),
    object_id: row.id,
    ...what,
  })
}

function update(ctx: Context, row: WebhookRow, body: Update): Output<typeof declared.updateWebhook> {
  refuseBadChoices(body, reachOf(row.account_id), hereOf(ctx))
  if (Object.keys(body).length === 0) return toWebhook(row)
  const switchedOn = body.enabled === true && !row.enabled
  const changed = set(ctx, row, {
    ...body,
    ...(body.events ? { events: [...new Set(body.events)] } : {}),
    ...(switchedOn ? clean : {}),
  })
  if (row.enabled && !changed.enabled) skipDue(ctx.runtime, row.id)
  note(ctx, row, { before: shown(row), after: shown(changed) })
  return toWebhook(changed)
}

function remove(ctx: Context, row: WebhookRow): undefined {
  ctx.db.delete(webhooks).where(eq(webhooks.id, row.id)).run()
  ctx.afterCommit(() => ctx.runtime.signals.emit('orphans'))
  note(ctx, row, { before: shown(row) })
  return undefined
}

const sent = (ctx: Context, row: WebhookRow, limit: number) => ({
  items: toDeliveries(ctx, listDeliveries(ctx, row.id, limit)),
})

function sendAgain(ctx: Context, row: WebhookRow, deliveryId: string): Output<typeof declared.redeliverWebhook> {
  findDelivery(ctx, row.id, deliveryId)
  redeliver(ctx, row, deliveryId)
  note(ctx, row, { after: { redelivered: deliveryId } })
  return toDeliveries(ctx, [findDelivery(ctx, row.id, deliveryId)])[0]!
}

function sendAllAgain(ctx: Context, row: WebhookRow, since: number) {
  const answer = redeliverSince(ctx, row, since)
  note(ctx, row, { after: { redelivered: answer.count, since } })
  return answer
}

function rotate(ctx: Context, row: WebhookRow, graceHours: number) {
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

function test(ctx: Context, row: WebhookRow, account?: FullAccount) {
  const event_id = ping(ctx, row, account && nameOf(account))
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
  getWebhook: { handle: (ctx, { params }) => toWebhook(findWebhook(ctx, params.wid, undefined)) },
  updateWebhook: { handle: (ctx, { params, body }) => update(ctx, findWebhook(ctx, params.wid, undefined), body) },
  deleteWebhook: { handle: (ctx, { params }) => remove(ctx, findWebhook(ctx, params.wid, undefined)) },
  webhookDeliveries: {
    handle: (ctx, { params, query }) => sent(ctx, findWebhook(ctx, params.wid, undefined), query.limit),
  },
  redeliverWebhook: {
    handle: (ctx, { params }) => sendAgain(ctx, findWebhook(ctx, params.wid, undefined), params.did),
  },
  redeliverWebhookSince: {
    handle: (ctx, { params, body }) => sendAllAgain(ctx, findWebhook(ctx, params.wid, undefined), body.since),
  },
  rotateWebhookSecret: {
    handle: (ctx, { params, body }) => rotate(ctx, findWebhook(ctx, params.wid, undefined), body.grace_hours),
  },
  testWebhook: { handle: (ctx, { params }) => test(ctx, findWebhook(ctx, params.wid, undefined)) },

  listWebhooksForAccount: { handle: (ctx, { params }) => list(ctx, findAccount(ctx, params.id).id) },
  createWebhookForAccount: { handle: (ctx, { params, body }) => create(ctx, body, findAccount(ctx, params.id)) },
  webhookCatalogForAccount: { handle: () => catalog(true) },
  getWebhookForAccount: { handle: (ctx, { params }) => toWebhook(findOwn(ctx, params)) },
  updateWebhookForAccount: { handle: (ctx, { params, body }) => update(ctx, findOwn(ctx, params), body) },
  deleteWebhookForAccount: { handle: (ctx, { params }) => remove(ctx, findOwn(ctx, params)) },
  webhookDeliveriesForAccount: {
    handle: (ctx, { params, query }) => sent(ctx, findOwn(ctx, params), query.limit),
  },
  redeliverWebhookForAccount: { handle: (ctx, { params }) => sendAgain(ctx, findOwn(ctx, params), params.did) },
  redeliverWebhookSinceForAccount: {
    handle: (ctx, { params, body }) => sendAllAgain(ctx, findOwn(ctx, params), body.since),
  },
  rotateWebhookSecretForAccount: {
    handle: (ctx, { params, body }) => rotate(ctx, findOwn(ctx, params), body.grace_hours),
  },
  testWebhookForAccount: {
    handle: (ctx, { params }) => test(ctx, findOwn(ctx, params), findAccount(ctx, params.id)),
  },
}

/** The account's webhook; the account is looked up with the actor. */
const findOwn = (ctx: Context, { id, wid }: { id: string; wid: string }): WebhookRow =>
  findWebhook(ctx, wid, findAccount(ctx, id).id)
