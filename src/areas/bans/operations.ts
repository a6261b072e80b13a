import { and, count, eq, gt } from 'drizzle-orm'
import type * as declared from '../../contract/bans.ts'
import { invalid, notFound, Problem } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { Existing, type Handler } from '../../runtime/operations/run.ts'
import { bannedNetwork } from '../../shared/networks.ts'
import { day, hour } from '../../shared/time.ts'
import { accounts } from '../accounts/tables.ts'
import { banByRoot, lift, prolong } from './ban.ts'
import { isAmong, neverBanned } from './exempt.ts'
import { banOf, isFullOfBans, listBans as list, toBan } from './store.ts'
import { type BanRow, banLifts } from './tables.ts'

const listBans: Handler<typeof declared.listBans> = { handle: (ctx, { query }) => list(ctx, query) }
const getBan: Handler<typeof declared.getBan> = { handle: ({ found }) => toBan(found.ban) }

const createBan: Handler<typeof declared.createBan> = {
  handle(ctx, { body }) {
    const network = networkOf(body.address)
    refuseExempt(ctx, network)
    const wish = { address: network, until: ctx.now + body.for_s * 1000, reason: body.reason ?? 'Banned by root' }
    const former = banOf(ctx.db, ctx.now, network)
    if (!former && isFullOfBans(ctx.db, ctx.now)) throw new Problem('too-many', 'There are 100,000 bans already.')
    const row = former ? prolong(ctx, former, wish) : banByRoot(ctx, wish)
    ctx.note({ object_id: row.id, after: { address: network, until: row.until, reason: row.reason } })
    return former ? new Existing(toBan(row)) : toBan(row)
  },
}

function networkOf(address: string): string {
  const network = bannedNetwork(address)
  if (network === undefined) throw invalid('address', 'must be an IPv4 or IPv6 address')
  return network
}

function refuseExempt(ctx: Context, network: string): void {
  const own = ctx.caller?.address
  if (own !== undefined && isAmong([own], network)) throw inUse(`${network} is your own address.`)
  if (isAmong(neverBanned(ctx.db), network))
    throw inUse(`${network} is never banned: it belongs to the servers or to name servers, or is in ban_allow.`)
}

const inUse = (detail: string): Problem => new Problem('in-use', detail)

const deleteBan: Handler<typeof declared.deleteBan> = {
  handle(ctx) {
    const { ban } = ctx.found
    lift(ctx, ban)
    ctx.note({ object_id: ban.id, before: { address: ban.address } })
    return undefined
  },
}

const checkBan: Handler<typeof declared.checkBan> = {
  handle(ctx, { query }) {
    const ban = banOf(ctx.db, ctx.now, networkOf(query.address))
    return checked(ban, { isServiceVisible: ban !== undefined && mayKnow(ctx, ban), isLiftable: isRoot(ctx.actor) })
  },
}

/** Whether the caller may learn where an address failed. */
const mayKnow = (ctx: Context, { accounts: ids }: BanRow): boolean =>
  isRoot(ctx.actor) || ids.some((id) => ownerOf(ctx, id) === ctx.actor.id || id === ctx.actor.id)

const ownerOf = ({ db }: Context, id: string): string | undefined =>
  db.select({ owner: accounts.owner_id }).from(accounts).where(eq(accounts.id, id)).get()?.owner

const checkBanForAccount: Handler<typeof declared.checkBanForAccount> = {
  handle(ctx, { params, query }) {
    const ban = banOf(ctx.db, ctx.now, networkOf(query.address))
    const isServiceVisible = ban?.accounts.includes(params.id) ?? false
    return checked(ban, { isServiceVisible, isLiftable: ban !== undefined && isOfAccount(ban, params.id) })
  },
}

interface Visible {
  readonly isServiceVisible: boolean
  readonly isLiftable: boolean
}

const checked = (ban: BanRow | undefined, { isServiceVisible, isLiftable }: Visible) =>
  ban
    ? { banned: true, until: ban.until, ...(isServiceVisible && { service: ban.service }), liftable: isLiftable }
    : { banned: false, liftable: false }

const forbidden = (detail: string): Problem => new Problem('forbidden', detail)

/** Whether the address failed at no logins but those of the account. */
const isOfAccount = ({ only_there, accounts: ids }: BanRow, id: string): boolean =>
  only_there && ids.length === 1 && ids[0] === id

const liftBanForAccount: Handler<typeof declared.liftBanForAccount> = {
  handle(ctx, { params, body }) {
    refuseOthers(ctx, params.id)
    const network = networkOf(body.address)
    const ban = banOf(ctx.db, ctx.now, network)
    if (!ban) throw notFound('ban')
    if (!isOfAccount(ban, params.id)) throw forbidden('The address failed at logins that are not of this account.')
    refuseOften(ctx, params.id)
    ctx.db.insert(banLifts).values({ id: ctx.id(), account_id: params.id, at: ctx.now }).run()
    lift(ctx, ban)
    const { account } = ctx.found
    ctx.note({ account, object_id: ban.id, before: { address: ban.address } })
    return undefined
  },
}

/** Only the customer itself, who gave the password. */
function refuseOthers({ actor }: Context, id: string): void {
  const isOwn = actor.type === 'account' && actor.id === id && actor.via === 'panel'
  if (!isOwn || actor.session?.actingAs)
    throw forbidden('Only the customer who signed in with the password can lift a ban.')
}

const limits = [
  { within: hour, max: 1 },
  { within: day, max: 3 },
] as const

function refuseOften({ db, now }: Context, id: string): void {
  for (const { within, max } of limits) {
    const [found] = db
      .select({ total: count() })
      .from(banLifts)
      .where(and(eq(banLifts.account_id, id), gt(banLifts.at, now - within)))
      .all()
    if (found!.total >= max)
      throw new Problem('rate-limited', 'Bans can be lifted once an hour and three times a day.', undefined, {
        'Retry-After': String(Math.ceil(within / 1000)),
      })
  }
}

export const banOperations = {
  listBans,
  getBan,
  createBan,
  deleteBan,
  checkBan,
  checkBanForAccount,
  liftBanForAccount,
}
