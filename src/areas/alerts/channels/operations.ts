import { eq } from 'drizzle-orm'
import type * as declared from '../../../contract/alerts.ts'
import { type ChannelShape, MAX_CHANNELS } from '../../../contract/alerts.ts'
import type { Input, Output } from '../../../contract/operation.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import type { Reach } from '../../../outgoing/address.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler, HostHandler } from '../../../runtime/operations/run.ts'
import { rootId } from '../../../runtime/settings/settings.ts'
import { minute } from '../../../shared/time.ts'
import type { FoundAccount } from '../../accounts/objects/find-account.ts'
import { isMailReady } from '../../mailer/mailer.ts'
import { newSecret } from '../../webhooks/secret.ts'
import { ownAddresses } from '../../webhooks/url.ts'
import { dropWaiting } from '../sends.ts'
import { type ChannelRow, channels } from '../tables.ts'
import { type AddressInput, addressOf, hostIn, refuseWrongFields } from './address.ts'
import { confirmAlertChannel, isOwnContact, sendLink } from './confirm.ts'
import { refuseUnknownKinds } from './kinds.ts'
import { refuseQuiet } from './quiet.ts'
import {
  channelById,
  countChannels,
  isNameTaken,
  isOwners,
  listChannels,
  type Owner,
  openAddress,
  ownerOf,
  purpose,
  sealAddress,
  setChannel,
  toChannel,
} from './store.ts'
import { sendTest } from './test.ts'

type Create = Input<typeof declared.createAlertChannel>['body']
type Update = Input<typeof declared.updateAlertChannel>['body']

/** Only the server's own channels may go to private addresses. */
const reachOf = ({ db }: Pick<Context, 'db'>, { owner_id }: Owner): Reach =>
  owner_id === rootId(db) ? 'private' : 'public'

function refuseChoices(ctx: Context, owner: Owner, body: Create | Update, self?: string): void {
  refuseUnknownKinds(body.kinds)
  refuseQuiet(body.quiet)
  const next = body.escalate_to
  if (next && (next === self || !isOwners(ctx.db, owner, next)))
    throw invalid('escalate_to', 'must be another channel of the same owner')
  if (body.name !== undefined && isNameTaken(ctx.db, owner, body.name, self))
    throw new Problem('exists', `There is an alert channel ${body.name} already.`, { name: 'is taken' })
}

function refuseWithoutMail({ runtime }: Context): void {
  if (!isMailReady(runtime)) throw new Problem('not-configured', 'This server does not send mail.')
}

/** The columns that say where it sends to. */
function addressColumns(ctx: Context, owner: Owner, shape: ChannelShape, input: AddressInput, row?: ChannelRow) {
  const former = row && openAddress(ctx.runtime, row)
  const address = addressOf(shape, input, reachOf(ctx, owner), ownAddresses(ctx.runtime), former)
  return { host: hostIn(address), address: sealAddress(ctx.runtime, address) }
}

function create(ctx: Context, body: Create, account?: FoundAccount): Output<typeof declared.createAlertChannel> {
  const owner = ownerOf(ctx, account?.id)
  refuseWrongShape(body)
  refuseWrongFields(body.shape ?? 'mail', body, true)
  if (body.type === 'mail') refuseWithoutMail(ctx)
  const where = body.shape ? addressColumns(ctx, owner, body.shape, body) : { host: null, address: null }
  refuseChoices(ctx, owner, body)
  if (countChannels(ctx.db, owner) >= MAX_CHANNELS)
    throw new Problem('too-many', `There are already ${MAX_CHANNELS} alert channels; delete one first.`)
  const secret = body.shape === 'json' ? newSecret() : undefined
  const verified = body.to === undefined || isOwnContact(ctx.db, owner, body.to)
  const row: ChannelRow = {
    ...rowOf(ctx, body, owner),
    ...where,
    verified,
    secret: secret ? sealed(ctx, secret) : null,
  }
  ctx.db.insert(channels).values(row).run()
  if (!verified) sendLink(ctx, row)
  ctx.note({ ...(account ? { account } : {}), object_id: row.id, after: viewOf(ctx, row) })
  return { channel: toChannel(ctx, row), ...(secret !== undefined && { secret }) }
}

const sealed = ({ runtime }: Context, secret: string): string => runtime.seal(purpose, secret)

function refuseWrongShape({ type, shape }: Create): void {
  if (type === 'mail' && shape !== undefined) throw invalid('shape', 'is not for mail')
  if (type === 'webhook' && shape === undefined) throw invalid('shape', 'is needed for a webhook')
}

const rowOf = (
  ctx: Context,
  body: Create,
  owner: Owner,
): Omit<ChannelRow, 'host' | 'address' | 'secret' | 'verified'> => ({
  id: ctx.id(),
  ...owner,
  name: body.name,
  type: body.type,
  shape: body.shape ?? null,
  recipient: body.to ?? null,
  kinds: [...new Set(body.kinds ?? ['*'])],
  quiet: body.quiet ?? null,
  urgent: body.urgent ?? false,
  digest: body.digest ?? 'now',
  escalate_after_min: body.escalate_after_min ?? null,
  escalate_to: body.escalate_to ?? null,
  enabled: body.enabled ?? true,
  failures: 0,
  disabled_reason: null,
  tested_at: null,
  created_at: ctx.now,
  updated_at: ctx.now,
})

/** What the audit trail shows: never where a webhook goes. */
const viewOf = (ctx: Context, row: ChannelRow): Record<string, unknown> => {
  const { id: _id, created_at: _created, updated_at: _updated, ...view } = toChannel(ctx, row)
  return view
}

type ChannelContext = Context & { readonly found: { readonly channel: ChannelRow; readonly account?: FoundAccount } }

function update(ctx: ChannelContext, body: Update): Output<typeof declared.updateAlertChannel> {
  const { channel, account } = ctx.found
  refuseWrongFields(channel.shape ?? 'mail', body, false)
  const isReaddressed = [body.url, body.topic, body.token, body.chat].some((one) => one !== undefined)
  if (body.to !== undefined) refuseWithoutMail(ctx)
  const where = isReaddressed ? addressColumns(ctx, channel, channel.shape!, body, channel) : {}
  refuseChoices(ctx, channel, body, channel.id)
  const changed = setChannel(ctx.db, channel, { ...where, ...choicesOf(ctx, channel, body), updated_at: ctx.now })
  if (body.to !== undefined && !changed.verified) sendLink(ctx, changed)
  if (channel.enabled && !changed.enabled) dropWaiting(ctx.db, channel.id, ctx.now, 'The channel is switched off.')
  const before = viewOf(ctx, channel)
  ctx.note({ ...(account ? { account } : {}), object_id: channel.id, before, after: viewOf(ctx, changed) })
  return toChannel(ctx, changed)
}

function choicesOf({ db }: Context, row: ChannelRow, body: Update): Partial<ChannelRow> {
  const { to, url: _url, topic: _topic, token: _token, chat: _chat, kinds, ...rest } = body
  const isSame = to === undefined || (row.verified && to.toLowerCase() === row.recipient!.toLowerCase())
  return {
    ...rest,
    ...(kinds && { kinds: [...new Set(kinds)] }),
    ...(to !== undefined && { recipient: to, verified: isSame || isOwnContact(db, row, to) }),
    ...(body.enabled === true && !row.enabled && { failures: 0, disabled_reason: null }),
  }
}

function remove(ctx: ChannelContext): undefined {
  const { channel, account } = ctx.found
  ctx.note({ ...(account ? { account } : {}), object_id: channel.id, before: viewOf(ctx, channel) })
  ctx.db.delete(channels).where(eq(channels.id, channel.id)).run()
}

/** Once a minute, whatever becomes of it. */
function recordTest(ctx: ChannelContext): void {
  const { channel, account } = ctx.found
  if (channel.type === 'mail') refuseWithoutMail(ctx)
  const { tested_at } = channelById(ctx.db, channel.id)!
  if (tested_at !== null && tested_at > ctx.now - minute) {
    const seconds = String(Math.ceil((tested_at + minute - ctx.now) / 1000))
    throw new Problem('rate-limited', 'A channel can be tested once a minute.', undefined, { 'Retry-After': seconds })
  }
  setChannel(ctx.db, channel, { tested_at: ctx.now })
  ctx.note({ ...(account ? { account } : {}), object_id: channel.id })
}

const list = (ctx: Context, accountId?: string) => ({
  items: listChannels(ctx, accountId).map((row) => toChannel(ctx, row)),
})

const listAlertChannels: Handler<typeof declared.listAlertChannels> = { handle: (ctx) => list(ctx) }
const getAlertChannel: Handler<typeof declared.getAlertChannel> = { handle: (ctx) => toChannel(ctx, ctx.found.channel) }
const createAlertChannel: Handler<typeof declared.createAlertChannel> = {
  handle: (ctx, { body }) => create(ctx, body),
}
const updateAlertChannel: Handler<typeof declared.updateAlertChannel> = {
  handle: (ctx, { body }) => update(ctx, body),
}
const deleteAlertChannel: Handler<typeof declared.deleteAlertChannel> = { handle: remove }
const testAlertChannel: HostHandler<typeof declared.testAlertChannel> = {
  record: recordTest,
  act: (ctx, _, signal) => sendTest(ctx, ctx.found.channel, signal),
}
const listAlertChannelsForAccount: Handler<typeof declared.listAlertChannelsForAccount> = {
  handle: (ctx) => list(ctx, ctx.found.account.id),
}
const getAlertChannelForAccount: Handler<typeof declared.getAlertChannelForAccount> = {
  handle: (ctx) => toChannel(ctx, ctx.found.channel),
}
const createAlertChannelForAccount: Handler<typeof declared.createAlertChannelForAccount> = {
  handle: (ctx, { body }) => create(ctx, body, ctx.found.account),
}
const updateAlertChannelForAccount: Handler<typeof declared.updateAlertChannelForAccount> = {
  handle: (ctx, { body }) => update(ctx, body),
}
const deleteAlertChannelForAccount: Handler<typeof declared.deleteAlertChannelForAccount> = { handle: remove }
const testAlertChannelForAccount: HostHandler<typeof declared.testAlertChannelForAccount> = {
  record: recordTest,
  act: (ctx, _, signal) => sendTest(ctx, ctx.found.channel, signal),
}

export const channelOperations = {
  listAlertChannels,
  getAlertChannel,
  createAlertChannel,
  updateAlertChannel,
  deleteAlertChannel,
  testAlertChannel,
  confirmAlertChannel,
  listAlertChannelsForAccount,
  getAlertChannelForAccount,
  createAlertChannelForAccount,
  updateAlertChannelForAccount,
  deleteAlertChannelForAccount,
  testAlertChannelForAccount,
}
