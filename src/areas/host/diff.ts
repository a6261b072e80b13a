import type * as declared from '../../contract/host.ts'
import { invalid } from '../../contract/problem.ts'
import type { Difference } from '../../host/contract/driver.ts'
import type { LinkedHost } from '../../host/nodes/fleet/fleet.ts'
import { isUnreachable } from '../../runtime/jobs/node-errors.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { localNode } from '../../shared/node-name.ts'
import { follow } from '../../shared/until-any.ts'
import type { Db } from '../../store/open.ts'
import { differencesOf, type Host, serverOf } from '../accounts/jobs/apply.ts'
import { appliedAccounts } from '../accounts/jobs/sweep.ts'
import { accountById, type FullAccount } from '../accounts/store.ts'
import { servedDifferences, serversOf } from '../dns/served/compare.ts'
import { refuseUnknownNode } from '../nodes/filter.ts'
import { hostOf, hostsOf, onNode } from './host.ts'
import { desiredState } from './names/apply.ts'
import { type Silent, silentNodes } from './unreachable-nodes.ts'
import { nodeIn } from './view.ts'

const maxVisible = 1000

/** A difference, with its account. */
interface NodeDifference extends Difference {
  readonly account_id?: string
  readonly username?: string
  readonly node?: string
}

/** The account with that id. */
export function named(db: Db, id: string): FullAccount {
  const account = accountById(db, id)
  if (!account) throw invalid('account_id', 'is not an account')
  return account
}

export const getHostDiff: HostHandler<typeof declared.getHostDiff> = {
  async act(ctx, { query }, signal) {
    const found: NodeDifference[] = []
    const { account_id, node } = query
    refuseUnknownNode(ctx, node)
    if (node !== undefined && account_id !== undefined) throw invalid('node', 'cannot be combined with account_id')
    for await (const some of account_id === undefined ? all(ctx, node, signal) : one(ctx, account_id, signal)) {
      found.push(...some)
      if (found.length > maxVisible) break
    }
    const items = found.slice(0, maxVisible)
    return { differences: items.map(withoutText), diff: items.map(textOf).join(''), more: found.length > maxVisible }
  },
}

const hostIn = ({ runtime }: Context): Host => ({ runtime, client: hostOf(runtime) })

/** What no account owns on each node, then each account on a node. A node that is down is reported once. */
async function* all(ctx: Context, node: string | undefined, signal: AbortSignal): AsyncGenerator<NodeDifference[]> {
  const host = hostIn(ctx)
  const unreachable = new Set<string>()
  for (const linked of hostsOf(ctx.runtime, node)) {
    const requested = linked[0] === localNode || linked[0] === node
    yield* requested ? ofNode(ctx, linked, signal) : orError(linked[0], ofNode(ctx, linked, signal), unreachable)
  }
  if (node === undefined) for (const silent of silentNodes(ctx.runtime)) yield notQueried(silent, unreachable)
  for (const id of appliedAccounts(ctx.db, node)) {
    const account = accountById(ctx.runtime.store.db, id)
    if (!account || unreachable.has(account.node)) continue
    yield await ofAccount(host, account, signal).catch((error: unknown) => {
      if (!isUnreachable(error)) throw error
      unreachable.add(account.node)
      return errorOf(account.node)(error)
    })
  }
}

function notQueried({ node, reason }: Silent, unreachable: Set<string>): NodeDifference[] {
  unreachable.add(node)
  return errorOf(node)({ message: reason })
}

const errorOf =
  (node: string) =>
  ({ message }: Pick<Error, 'message'>): NodeDifference[] => [
    { path: '/', change: 'fault', note: message, ...nodeIn(node) },
  ]

async function* orError(
  node: string,
  found: AsyncGenerator<NodeDifference[]>,
  unreachable?: Set<string>,
): AsyncGenerator<NodeDifference[]> {
  try {
    yield* found
  } catch (error) {
    if (isUnreachable(error)) unreachable?.add(node)
    yield errorOf(node)(error as Error)
  }
}

/** What no account owns on a node. */
async function* ofNode(ctx: Context, linked: LinkedHost, signal: AbortSignal): AsyncGenerator<NodeDifference[]> {
  yield await ofServer(ctx, linked, signal)
  yield* ofZones(ctx, linked, { signal })
}

/** Zones of other nodes' accounts, or of one of them, that a node answers for. */
async function* ofZones(
  { runtime }: Context,
  linked: LinkedHost,
  of: { readonly account?: string; readonly signal: AbortSignal },
): AsyncGenerator<NodeDifference[]> {
  const differences = (signal: AbortSignal) => servedDifferences(runtime, linked, { ...of, signal })
  for await (const some of inTime(runtime, { node: linked[0], signal: of.signal }, differences))
    yield some.map(({ id, ...difference }) => {
      const username = accountById(runtime.store.db, id)?.username
      return { account_id: id, ...(username !== undefined && { username }), ...nodeIn(linked[0]), ...difference }
    })
}

/** Each part of what a node finds has a deadline. */
async function* inTime<T>(
  runtime: Runtime,
  of: { readonly node: string; readonly signal: AbortSignal },
  find: (signal: AbortSignal) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const own = new AbortController()
  const leave = follow(own, of.signal)
  const found = find(own.signal)
  try {
    for (;;) {
      const next = await onNode(runtime, of, () => found.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    leave()
    own.abort()
  }
}

/** Includes the machine's own names, if it has any. */
async function ofServer(ctx: Context, [node, client]: LinkedHost, signal: AbortSignal): Promise<NodeDifference[]> {
  const server = serverOf({ runtime: ctx.runtime, client }, getSetting(ctx.db, 'root_id')!)
  const state = await desiredState(ctx.runtime, node)
  const query = { server, ...(state && { state }) }
  const found = await onNode(ctx.runtime, { node, signal }, (ending) => client.diff(query, { signal: ending }))
  return found.map((difference) => ({ ...nodeIn(node), ...difference }))
}

async function* one(ctx: Context, id: string, signal: AbortSignal): AsyncGenerator<NodeDifference[]> {
  const account = named(ctx.db, id)
  yield await ofAccount(hostIn(ctx), account, signal)
  const { runtime } = ctx
  for (const linked of hostsOf(runtime)) yield* orError(linked[0], ofZones(ctx, linked, { account: id, signal }))
  const answersFor = serversOf(runtime, id)
  for (const { node, reason } of silentNodes(runtime))
    if (answersFor.includes(node)) yield errorOf(node)({ message: reason })
}

async function ofAccount(host: Host, account: FullAccount, signal: AbortSignal): Promise<NodeDifference[]> {
  const { id, username, node } = account
  const find = (ending: AbortSignal) => differencesOf(host, account, { signal: ending })
  const found = await onNode(host.runtime, { node, signal }, find)
  return found.map((difference) => ({ account_id: id, username, ...nodeIn(node), ...difference }))
}

const withoutText = ({ diff: _, ...difference }: NodeDifference): Omit<NodeDifference, 'diff'> => difference

const textOf = ({ path, change, note, diff }: NodeDifference): string =>
  diff ?? `# ${path}: ${change}${note ? `, ${note}` : ''}\n`
