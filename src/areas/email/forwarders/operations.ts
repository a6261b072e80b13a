import type * as declared from '../../../contract/email.ts'
import type { Input } from '../../../contract/operation.ts'
import { Problem, refuseFaults } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/context.ts'
import type { Handler } from '../../../runtime/run.ts'
import type { FoundAccount } from '../../accounts/found.ts'
import { refuseBeingDeleted as refuseDomain } from '../../domains/busy.ts'
import { addressOf, atDomain, type OwnAddress, ownAddress } from '../address.ts'
import { refuseNeeded } from '../in-use.ts'
import { carry, carryDelete, refuseBeingDeleted } from '../objects.ts'
import { type ForwarderRow, forwarders } from '../tables.ts'
import { destinationsOf, wayFault } from './destinations.ts'
import { addForwarder, forwarderAt, forwarderById, forwardersOf, setForwarder, toForwarder } from './store.ts'

type Here = Context & { readonly found: { readonly account: FoundAccount; readonly forwarder: ForwarderRow } }
type Body = Input<typeof declared.createForwarder>['body']

export const mostForwarders = 500

const listForwarders: Handler<typeof declared.listForwarders> = {
  handle(ctx, { query: { domain, ...query } }) {
    const { id } = ctx.found.account
    const { items, total } = forwardersOf.page(ctx, id, query, atDomain(ctx, id, forwarders, domain))
    return { items: items.map((row) => toForwarder(ctx, row)), total }
  },
}

const getForwarder: Handler<typeof declared.getForwarder> = { handle: (ctx) => toForwarder(ctx, ctx.found.forwarder) }

const isFault = <T>(value: T | string): value is string => typeof value === 'string'

/** Validates the request and reports all errors at once. */
function judged(ctx: Context, account: string, { address, destinations, keep_copy = true }: Body) {
  const own = ownAddress(ctx, account, address)
  const all = destinationsOf(ctx, account, destinations)
  refuseFaults({ address: isFault(own) ? own : undefined, destinations: isFault(all) ? all : undefined })
  const { domain, local } = own as OwnAddress
  const way = { destinations: all as string[], keepCopy: keep_copy }
  refuseFaults({ destinations: wayFault(ctx, account, `${local}@${domain.name}`, way) })
  return { domain, local, way }
}

/** Creates the forwarder's row; its job applies it to the host. */
const createForwarder: Handler<typeof declared.createForwarder> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const { domain, local, way } = judged(ctx, account.id, body)
    const address = `${local}@${domain.name}`
    refuseDomain(domain)
    if (forwarderAt(ctx.db, { domain_id: domain.id, local }))
      throw new Problem('exists', `${address} is forwarded already.`, { address: 'is forwarded already' })
    if (forwardersOf.count(ctx.db, account.id) >= mostForwarders)
      throw new Problem('too-many', `An account has at most ${mostForwarders} forwarders.`)
    const row: ForwarderRow = {
      id: ctx.id(),
      account_id: account.id,
      domain_id: domain.id,
      local,
      destinations: way.destinations,
      keep_copy: way.keepCopy,
      status: 'creating',
      created_at: ctx.now,
    }
    addForwarder(ctx, row)
    ctx.emit({ type: 'email.forwarder.created', account, object_id: row.id, details: { address } })
    ctx.note({ account, object_id: row.id, after: { address, destinations: row.destinations } })
    return { forwarder: toForwarder(ctx, row), job_id: carry(ctx, account, 'email.forwarder.create', row.id) }
  },
}

const shown = (ctx: Here) => toForwarder(ctx, forwarderById(ctx.db, ctx.found.forwarder.id)!)

const updateForwarder: Handler<typeof declared.updateForwarder> = {
  handle(ctx, { body: { destinations, keep_copy } }) {
    const { account, forwarder } = ctx.found
    const address = addressOf(ctx.db, forwarder)
    const all = destinations ? destinationsOf(ctx, account.id, destinations) : [...forwarder.destinations]
    if (isFault(all)) return void refuseFaults({ destinations: all }) as never
    const keepCopy = keep_copy ?? forwarder.keep_copy
    refuseFaults({ destinations: wayFault(ctx, account.id, address, { destinations: all, keepCopy }) })
    refuseBeingDeleted(address, forwarder)
    setForwarder(ctx, forwarder.id, { destinations: all, keep_copy: keepCopy })
    ctx.note({
      account,
      object_id: forwarder.id,
      before: { destinations: forwarder.destinations },
      after: { destinations: all },
    })
    return { forwarder: shown(ctx), job_id: carry(ctx, account, 'email.forwarder.update', forwarder.id) }
  },
}

const deleteForwarder: Handler<typeof declared.deleteForwarder> = {
  handle(ctx) {
    const { account, forwarder } = ctx.found
    const address = addressOf(ctx.db, forwarder)
    if (forwarder.status !== 'deleting') {
      refuseNeeded(ctx, account.id, address, { forwarders: new Map([[address, undefined]]) })
      setForwarder(ctx, forwarder.id, { status: 'deleting' })
      ctx.emit({ type: 'email.forwarder.deleted', account, object_id: forwarder.id, details: { address } })
    }
    ctx.note({ account, object_id: forwarder.id, before: { address } })
    return {
      forwarder: shown(ctx),
      job_id: carryDelete(ctx, account, 'email.forwarder.delete', forwarder.id),
    }
  },
}

export const forwarderOperations = {
  listForwarders,
  createForwarder,
  getForwarder,
  updateForwarder,
  deleteForwarder,
}
