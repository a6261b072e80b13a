import type * as declared from '../../../contract/email/queue.ts'
import type { Input, Output } from '../../../contract/operation.ts'
import type { QueuedMail, QueueFilter, QueuePage } from '../../../host/contract/driver.ts'
import type { LinkedHost } from '../../../host/nodes/fleet/fleet.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { HostHandler } from '../../../runtime/operations/run.ts'
import { findAccount } from '../../accounts/objects/find-account.ts'
import { hostsOf } from '../../host/host.ts'
import { mergePages } from '../../host/merge-pages.ts'
import { answerOf, unansweredBy } from '../../host/unreachable-nodes.ts'
import { filterOf } from './filter.ts'
import { isNarrow, type MailAccount, mailAccounts, type QueueScope, scopeOf } from './scope.ts'

type Query = Input<typeof declared.listMailQueue>['query']
type Page = Output<typeof declared.listMailQueue>
type Item = Page['items'][number]

/** 404 for an account that is not the actor's. */
export function refuseForeign(ctx: Context, account: string | undefined): void {
  if (account !== undefined) findAccount(ctx, account)
}

export const listMailQueue: HostHandler<typeof declared.listMailQueue> = {
  act(ctx, { query }, signal) {
    refuseForeign(ctx, query.account_id)
    return list(ctx, query, scopeOf(ctx.actor, query.account_id), signal)
  },
}

export const listMailQueueForAccount: HostHandler<typeof declared.listMailQueueForAccount> = {
  act: (ctx, { query }, signal) => list(ctx, query, { account: ctx.found.account.id }, signal),
}

async function list(ctx: Context, query: Query, scope: QueueScope, signal: AbortSignal): Promise<Page> {
  const page = { filter: filterOf(query, ctx.now), limit: query.limit, after: placeOf(query.after) }
  const answers = await Promise.all(hostsOf(ctx.runtime).map((linked) => pageOn(ctx, linked, { page, scope, signal })))
  const pages = answers.flatMap(({ answer }) => answer ?? [])
  const { items, more } = mergePages(pages, byPlace, query.limit)
  const [last, unreachable] = [items.at(-1), unansweredBy(ctx.runtime, answers)]
  return {
    ...{ items: [...items], total: pages.reduce((sum, one) => sum + one.total, 0), more },
    ...(more && last && { next: `${last.arrived_at}-${last.id}` }),
    ...(unreachable.length > 0 && { unreachable }),
  }
}

const byPlace = (one: Item, other: Item): number =>
  one.arrived_at - other.arrived_at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

function placeOf(after: string | undefined): QueuePage['after'] {
  const [at, id] = after?.split('-') ?? []
  return id === undefined ? undefined : { arrivedAt: Number(at), id }
}

interface PageRequest {
  readonly page: QueuePage
  readonly scope: QueueScope
  readonly signal: AbortSignal
}

/** A node's messages. */
const pageOn = ({ db, runtime }: Context, [node, host]: LinkedHost, { page, scope, signal }: PageRequest) =>
  answerOf(runtime, { node, signal }, async (ending) => {
    const filter = onlyIn({ db }, scope, node, page.filter)
    if (!filter) return { items: [], total: 0, more: false }
    const found = await host.mailQueue({ ...page, filter }, { signal: ending })
    const owners = mailAccounts(db, scope, node)
    return { ...found, items: found.items.map((message) => itemOf(message, node, owners)) }
  })

/** The filter for a node; undefined if no account of the scope has mail there. */
export function onlyIn(
  { db }: Pick<Context, 'db'>,
  scope: QueueScope,
  node: string,
  filter: QueueFilter,
): QueueFilter | undefined {
  if (!isNarrow(scope)) return filter
  const uids = [...mailAccounts(db, scope, node).keys()]
  return uids.length > 0 ? { ...filter, uids } : undefined
}

function itemOf(message: QueuedMail, node: string, owners: ReadonlyMap<number, MailAccount>): Item {
  const { arrivedAt, nextAttemptAt, uid, to, onHold, attempts = 0, ...same } = message
  const owner = uid === undefined ? undefined : owners.get(uid)
  return {
    ...{ ...same, attempts, to: [...to], node, arrived_at: arrivedAt, held: onHold },
    ...(nextAttemptAt !== undefined && { next_attempt_at: nextAttemptAt }),
    ...(owner && { account_id: owner.id, username: owner.username }),
  }
}
