import type * as declared from '../../../contract/email.ts'
import type { Input } from '../../../contract/operation.ts'
import { Problem, refuseInvalid } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import type { FoundAccount } from '../../accounts/objects/find-account.ts'
import { refuseBeingDeleted as refuseDomain } from '../../domains/busy.ts'
import { addressOf, atDomain, type OwnAddress, ownAddress } from '../address.ts'
import { carry, carryDelete, refuseBeingDeleted } from '../objects.ts'
import { refuseNeeded } from '../refuse-in-use.ts'
import { type ForwarderRow, forwarders } from '../tables.ts'
import { destinationsOf, destinationsProblem } from './destinations.ts'
import {
  addForwarder,
  forwarderAt,
  forwarderById,
  forwardersOf,
  leadingTo,
  setForwarder,
  toForwarder,
} from './store.ts'

type ForwarderContext = Context & {
  readonly found: { readonly account: FoundAccount; readonly forwarder: ForwarderRow }
}
type CreateForwarderBody = Input<typeof declared.createForwarder>['body']

export const MAX_FORWARDERS = 500

const listForwarders: Handler<typeof declared.listForwarders> = {
  handle(ctx, { query: { domain, ...query } }) {
    const { id } = ctx.found.account
    const { items, total } = forwardersOf.page(ctx, id, query, atDomain(ctx, id, forwarders, domain))
    return { items: items.map((row) => toForwarder(ctx, row)), total }
  },
}

const getForwarder: Handler<typeof declared.getForwarder> = { handle: (ctx) => toForwarder(ctx, ctx.found.forwarder) }

const isProblem = <T>(value: T | string): value is string => typeof value === 'string'

/** Validates the request and reports all errors at once. */
function validated(ctx: Context, account: string, { address, destinations, keep_copy = true }: CreateForwarderBody) {
  const own = ownAddress(ctx, account, address)
  const all = destinationsOf(ctx, account, destinations)
  refuseInvalid({ address: isProblem(own) ? own : undefined, destinations: isProblem(all) ? all : undefined })
  const { domain, local } = own as OwnAddress
  const route = { destinations: all as string[], keepCopy: keep_copy }
  refuseInvalid({ destinations: destinationsProblem(ctx, account, `${local}@${domain.name}`, route) })
  return { domain, local, route }
}

/** Creates the forwarder's row; its job applies it to the host. */
const createForwarder: Handler<typeof declared.createForwarder> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const { domain, local, route } = validated(ctx, account.id, body)
    const address = `${local}@${domain.name}`
    refuseDomain(domain)
    if (forwarderAt(ctx.db, { domain_id: domain.id, local }))
      throw new Problem('exists', `${address} is forwarded already.`, { address: 'is forwarded already' })
    if (forwardersOf.count(ctx.db, account.id) >= MAX_FORWARDERS)
      throw new Problem('too-many', `An account has at most ${MAX_FORWARDERS} forwarders.`)
    const row: ForwarderRow = {
      id: ctx.id(),
      account_id: account.id,
      domain_id: domain.id,
      local,
      destinations: route.destinations,
      keep_copy: route.keepCopy,
      status: 'creating',
      created_at: ctx.now,
    }
    addForwarder(ctx, row)
    ctx.emit({ type: 'email.forwarder.created', account, object_id: row.id, details: { address } })
    ctx.note({ account, object_id: row.id, after: { address, destinations: row.destinations } })
    return { forwarder: toForwarder(ctx, row), job_id: carry(ctx, account, 'email.forwarder.create', row.id) }
  },
}

const viewOf = (ctx: ForwarderContext) => toForwarder(ctx, forwarderById(ctx.db, ctx.found.forwarder.id)!)

const updateForwarder: Handler<typeof declared.updateForwarder> = {
  handle(ctx, { body: { destinations, keep_copy } }) {
    const { account, forwarder } = ctx.found
    const address = addressOf(ctx.db, forwarder)
    const all = destinations ? destinationsOf(ctx, account.id, destinations) : [...forwarder.destinations]
    if (isProblem(all)) return void refuseInvalid({ destinations: all }) as never
    const keepCopy = keep_copy ?? forwarder.keep_copy
    const route = { destinations: all, keepCopy }
    refuseInvalid({ destinations: destinationsProblem(ctx, account.id, address, route, forwarder.destinations) })
    refuseBeingDeleted(address, forwarder)
    setForwarder(ctx, forwarder.id, { destinations: all, keep_copy: keepCopy })
    ctx.note({
      account,
      object_id: forwarder.id,
      before: { destinations: forwarder.destinations },
      after: { destinations: all },
    })
    return { forwarder: viewOf(ctx), job_id: carry(ctx, account, 'email.forwarder.update', forwarder.id) }
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
      forwarder: viewOf(ctx),
      forwarders: leadingTo(ctx.db, account.id, address).map((row) => toForwarder(ctx, row)),
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
