import type * as declared from '../../contract/email/trace.ts'
import type { Input, Output } from '../../contract/operation.ts'
import type { TraceQuery, TraceRow } from '../../host/contract/driver.ts'
import type { LinkedHost } from '../../host/nodes/fleet/fleet.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { hostsOf } from '../host/host.ts'
import { mergePages } from '../host/merge-pages.ts'
import { answerOf, unansweredBy } from '../host/unreachable-nodes.ts'
import { refuseForeign } from './queue/list.ts'
import { isNarrow, mailAccounts, type QueueScope, scopeOf } from './queue/scope.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    mail_trace_days: number
  }
}

export const traceSettings = { mail_trace_days: 14 }

type Query = Omit<Input<typeof declared.traceMail>['query'], 'account_id'>
type Page = Output<typeof declared.traceMail>
type Item = Page['items'][number]
type After = NonNullable<TraceQuery['after']> & { readonly node: string }

interface Row extends Item {
  readonly n: number
}

const traceMail: HostHandler<typeof declared.traceMail> = {
  act(ctx, { query: { account_id, ...query } }, signal) {
    refuseForeign(ctx, account_id)
    return trace(ctx, query, scopeOf(ctx.actor, account_id), signal)
  },
}

const traceEmail: HostHandler<typeof declared.traceEmail> = {
  act: (ctx, { query }, signal) => trace(ctx, query, { account: ctx.found.account.id }, signal),
}

export const traceOperations = { traceMail, traceEmail }

async function trace(ctx: Context, query: Query, scope: QueueScope, signal: AbortSignal): Promise<Page> {
  const answers = await Promise.all(hostsOf(ctx.runtime).map((linked) => rowsOn(ctx, linked, { query, scope, signal })))
  const pages = answers.flatMap(({ answer }) => answer ?? [])
  const { items, more } = mergePages(pages, byPlace, query.limit)
  const [last, unreachable] = [items.at(-1), unansweredBy(ctx.runtime, answers)]
  return {
    items: items.map(({ n: _, ...item }) => item),
    more,
    ...(more && last && { next: `${last.at}-${last.n}-${last.node}` }),
    ...(unreachable.length > 0 && { unreachable }),
  }
}

/** The newest first; of those of one time, by node. */
const byPlace = (one: Row, other: Row): number =>
  other.at - one.at || (one.node === other.node ? other.n - one.n : one.node < other.node ? -1 : 1)

interface TraceRequest {
  readonly query: Query
  readonly scope: QueueScope
  readonly signal: AbortSignal
}

/** A node's rows. */
const rowsOn = (ctx: Context, [node, host]: LinkedHost, { query, scope, signal }: TraceRequest) =>
  answerOf(ctx.runtime, { node, signal }, async (ending) => {
    const accounts = mailAccounts(ctx.db, scope, node)
    if (isNarrow(scope) && accounts.size === 0) return { items: [], more: false }
    const uids = isNarrow(scope) ? { uids: [...accounts.keys()] } : {}
    const { items, more } = await host.mailTrace({ ...hostQuery(ctx, query, node), ...uids }, { signal: ending })
    return { items: items.map((row) => itemOf(row, node, accounts.get(row.uid))), more }
  })

function hostQuery(
  { db }: Context,
  { address, with: other, since, direction, limit, after }: Query,
  node: string,
): TraceQuery {
  return {
    ...(address !== undefined && { address: address.toLowerCase() }),
    ...(other !== undefined && { with: other.toLowerCase() }),
    ...(since !== undefined && { since }),
    ...(direction !== undefined && { direction }),
    ...(after !== undefined && { after: placeOn(node, placeOf(after)) }),
    limit,
    days: getSetting(db, 'mail_trace_days') ?? traceSettings.mail_trace_days,
  }
}

function placeOf(after: string): After {
  const [at, n, ...node] = after.split('-')
  return { at: Number(at), n: Number(n), node: node.join('-') }
}

/** What comes after a node's row on another node. */
const placeOn = (node: string, { at, n, node: last }: After): NonNullable<TraceQuery['after']> =>
  node === last ? { at, n } : { at, n: node > last ? Number.MAX_SAFE_INTEGER : 0 }

/** Of a message; a host can claim any number. */
const MAX_SCORE = 1_000_000

function itemOf(row: TraceRow, node: string, owner: { id: string; username: string } | undefined): Row {
  const { uid: _, score, remoteHost, queueId, ...same } = row
  return {
    ...same,
    node,
    ...(score !== undefined && { spam_score: Math.trunc(Math.max(-MAX_SCORE, Math.min(score, MAX_SCORE))) }),
    ...(remoteHost !== undefined && { remote_host: remoteHost }),
    ...(queueId !== undefined && { queue_id: queueId }),
    ...(owner && { account_id: owner.id, username: owner.username }),
  }
}
