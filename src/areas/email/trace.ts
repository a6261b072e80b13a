import type * as declared from '../../contract/email/trace.ts'
import type { Input, Output } from '../../contract/operation.ts'
import type { TraceQuery, TraceRow } from '../../host/contract/driver.ts'
import type { LinkedHost } from '../../host/nodes/fleet/fleet.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { localNode } from '../../shared/node-name.ts'
import { hostsOf, onNode } from '../host/host.ts'
import { type Silent, silentNodes } from '../host/unreachable-nodes.ts'
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

interface OnNode {
  readonly items: readonly Row[]
  readonly more: boolean
  readonly error?: Silent
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
  const rows = answers.flatMap(({ items }) => items).sort(byPlace)
  const first = rows.slice(0, Math.min(query.limit, known(answers, rows)))
  const more = answers.some((one) => one.more) || first.length < rows.length
  const silent = [...silentNodes(ctx.runtime), ...answers.flatMap(({ error }) => error ?? [])]
  const last = first.at(-1)
  return {
    items: first.map(({ n: _, ...item }) => item),
    more,
    ...(more && last && { next: `${last.at}-${last.n}-${last.node}` }),
    ...(silent.length > 0 && { unreachable: silent }),
  }
}

/** Of a node whose page ends early only what comes before that end is known to be in order. */
const known = (answers: readonly OnNode[], rows: readonly Row[]): number =>
  Math.min(rows.length, ...answers.flatMap(({ items, more }) => (more ? [rows.indexOf(items.at(-1)!) + 1] : [])))

/** The newest first; of those of one time, by node. */
const byPlace = (one: Row, other: Row): number =>
  other.at - one.at || (one.node === other.node ? other.n - one.n : one.node < other.node ? -1 : 1)

interface TraceRequest {
  readonly query: Query
  readonly scope: QueueScope
  readonly signal: AbortSignal
}

const none: OnNode = { items: [], more: false }

/** A node's rows. A failing or slow node blocks no other. */
async function rowsOn(ctx: Context, [node, host]: LinkedHost, request: TraceRequest): Promise<OnNode> {
  const accounts = mailAccounts(ctx.db, request.scope, node)
  if (isNarrow(request.scope) && accounts.size === 0) return none
  const query = {
    ...hostQuery(ctx, request.query, node),
    ...(isNarrow(request.scope) && { uids: [...accounts.keys()] }),
  }
  try {
    const { items, more } = await onNode(ctx.runtime, { node, signal: request.signal }, (ending) =>
      host.mailTrace(query, { signal: ending }),
    )
    return { more: more && items.length > 0, items: items.map((row) => itemOf(row, node, accounts.get(row.uid))) }
  } catch (error) {
    if (node === localNode) throw error
    ctx.runtime.log.warn({ err: error, node }, 'a node did not answer')
    return { ...none, error: { node, reason: (error as Error).message } }
  }
}

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
