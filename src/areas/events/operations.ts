import { eventTypes } from '../../contract/events.ts'
import type * as declared from '../../contract/feed.ts'
import { invalid } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Call, Handler } from '../../runtime/operations/run.ts'
import { type FeedQuery, lastBefore, matches, page, ready } from './feed.sql.ts'
import { expandTypes, unknownType } from './types.ts'
import { waitForEvent } from './wait.ts'

interface EventQuery {
  after?: number
  before?: number
  order: 'asc' | 'desc'
  since?: number
  limit: number
  type?: string
  wait?: number
}

function askOf(ctx: Context, query: EventQuery, account_id?: string): FeedQuery {
  const { limit, type, order, before } = query
  const after = cursorOf(ctx, query)
  return {
    limit,
    types: typesOf(type),
    ...(order === 'desc' && { isDescending: true }),
    ...(before !== undefined && { before }),
    ...(after === undefined ? {} : { after }),
    ...(account_id === undefined ? {} : { account_id }),
  }
}

const cursorOf = (ctx: Context, { after, since }: EventQuery): number | undefined =>
  since === undefined ? after : Math.max(after ?? 0, lastBefore(ctx, since))

function typesOf(list: string | undefined): FeedQuery['types'] {
  if (list === undefined) return undefined
  const expanded = expandTypes(list.split(',').map((name) => name.trim()))
  if ('problem' in expanded) throw invalid('type', unknownType(expanded.problem))
  return expanded.types.length === eventTypes.length ? undefined : expanded.types
}

function wait(
  ctx: Context,
  query: EventQuery,
  call: Pick<Call, 'signal'>,
  account_id?: string,
): Promise<void> | undefined {
  if (!query.wait || query.order === 'desc') return undefined
  const ask = askOf(ctx, query, account_id)
  if (ready(ctx, ask)) return undefined
  return waitForEvent(ctx, query.wait * 1000, call.signal(), (event) => matches(ask, event))
}

const listEvents: Handler<typeof declared.listEvents> = {
  wait: (ctx, { query }, call) => wait(ctx, query, call),
  handle: (ctx, { query }) => page(ctx, askOf(ctx, query)),
}

const listEventsForAccount: Handler<typeof declared.listEventsForAccount> = {
  wait: (ctx, { query }, call) => wait(ctx, query, call, ctx.found.account.id),
  handle: (ctx, { query }) => page(ctx, askOf(ctx, query, ctx.found.account.id)),
}

export const eventOperations = { listEvents, listEventsForAccount }
