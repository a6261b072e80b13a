import { and, count, eq, isNull, ne, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { AlertChannel } from '../../../contract/alerts.ts'
import { notFound } from '../../../contract/problem.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { rootId } from '../../../runtime/settings/settings.ts'
import type { Db } from '../../../store/open.ts'
import { accounts } from '../../accounts/tables.ts'
import { type ChannelRow, channels } from '../tables.ts'
import type { Address } from './address.ts'

export const purpose = 'alert channel'

export const sealAddress = (runtime: Runtime, address: Address): string =>
  runtime.seal(purpose, JSON.stringify(address))
export const openAddress = (runtime: Runtime, { address }: ChannelRow): Address =>
  JSON.parse(runtime.unseal(purpose, address!))

/** Whose channels a call is about: an account's own, or the caller's. */
export interface Owner {
  readonly owner_id: string
  readonly account_id: string | null
}

export const ownerOf = ({ db, actor }: Context, accountId?: string): Owner =>
  accountId === undefined
    ? { owner_id: isRoot(actor) ? rootId(db) : actor.id, account_id: null }
    : { owner_id: accountId, account_id: accountId }

const of = ({ owner_id, account_id }: Owner): SQL | undefined =>
  and(
    eq(channels.owner_id, owner_id),
    account_id === null ? isNull(channels.account_id) : eq(channels.account_id, account_id),
  )

/** Channels that the caller reaches: root those of resellers, too. */
const reached = (ctx: Context, accountId?: string): SQL | undefined =>
  accountId === undefined && isRoot(ctx.actor) ? isNull(channels.account_id) : of(ownerOf(ctx, accountId))

export const listChannels = (ctx: Context, accountId?: string): ChannelRow[] =>
  ctx.db.select().from(channels).where(reached(ctx, accountId)).orderBy(channels.id).all()

export function findChannel(ctx: Context, id: string, accountId?: string): ChannelRow {
  const row = ctx.db
    .select()
    .from(channels)
    .where(and(eq(channels.id, id), reached(ctx, accountId)))
    .get()
  if (!row) throw notFound('alert channel')
  return row
}

export const channelById = (db: Db, id: string): ChannelRow | undefined =>
  db.select().from(channels).where(eq(channels.id, id)).get()

export const countChannels = (db: Db, owner: Owner): number =>
  db.select({ total: count() }).from(channels).where(of(owner)).get()!.total

export const isNameTaken = (db: Db, owner: Owner, name: string, self = ''): boolean =>
  db
    .select({ id: channels.id })
    .from(channels)
    .where(and(of(owner), eq(channels.name, name), ne(channels.id, self)))
    .get() !== undefined

/** Whether a channel of the same owner has this id. */
export const isOwners = (db: Db, owner: Owner, id: string): boolean =>
  db
    .select({ id: channels.id })
    .from(channels)
    .where(and(of(owner), eq(channels.id, id)))
    .get() !== undefined

export function setChannel(db: Db, row: ChannelRow, values: Partial<ChannelRow>): ChannelRow {
  db.update(channels).set(values).where(eq(channels.id, row.id)).run()
  return { ...row, ...values }
}

const nameOf = (db: Db, id: string): string | undefined =>
  db.select({ name: accounts.username }).from(accounts).where(eq(accounts.id, id)).get()?.name

/** Row to resource; root is told whose it is. */
export function toChannel(ctx: Context, row: ChannelRow): z.infer<typeof AlertChannel> {
  const { id, name, type, kinds, urgent, digest, enabled, failures, verified, created_at, updated_at } = row
  const isReseller = row.account_id === null && row.owner_id !== rootId(ctx.db)
  return {
    ...{ id, name, type, kinds, urgent, digest, enabled, failures, verified, created_at, updated_at },
    ...present({
      shape: row.shape,
      to: row.recipient,
      host: row.host,
      quiet: row.quiet,
      escalate_after_min: row.escalate_after_min,
      escalate_to: row.escalate_to,
      disabled_reason: row.disabled_reason,
      reseller: isReseller && isRoot(ctx.actor) ? nameOf(ctx.db, row.owner_id) : undefined,
    }),
  } as z.infer<typeof AlertChannel>
}
