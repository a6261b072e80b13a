import type * as declared from '../../contract/host.ts'
import { invalid } from '../../contract/problem.ts'
import type { Difference } from '../../host/driver.ts'
import type { LinkedHost } from '../../host/fleet/fleet.ts'
import { isAway } from '../../runtime/away.ts'
import type { Context } from '../../runtime/context.ts'
import type { HostHandler } from '../../runtime/run.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings.ts'
import { localNode } from '../../shared/node-name.ts'
import { follow } from '../../shared/until-any.ts'
import type { Db } from '../../store/open.ts'
import { differencesOf, type Host, serverOf } from '../accounts/apply.ts'
import { accountById, type FullAccount } from '../accounts/store.ts'
import { appliedAccounts } from '../accounts/sweep.ts'
import { servedDifferences, serversOf } from '../dns/served/compare.ts'
import { refuseUnknownNode } from '../nodes/filter.ts'
import { hostOf, hostsOf, onNode } from './host.ts'
import { wantedState } from './names/apply.ts'
import { nodeIn } from './shown.ts'
import { type Silent, silentNodes } from './silent.ts'

const maxShown = 1000

/** A difference, with its account. */
interface Found extends Difference {
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
    const found: Found[] = []
    const { account_id, node } = query
    refuseUnknownNode(ctx, node)
    if (node !== undefined && account_id !== undefined) throw invalid('node', 'cannot be combined with account_id')
    for await (const some of account_id === undefined ? all(ctx, node, signal) : one(ctx, account_id, signal)) {
      found.push(...some)
      if (found.length > maxShown) break
    }
    const items = found.slice(0, maxShown)
    return { differences: items.map(withoutText), diff: items.map(textOf).join(''), more: found.length > maxShown }
  },
}

const hostIn = ({ runtime }: Context): Host => ({ runtime, client: hostOf(runtime) })

/** What no account owns on each node, then each account on a node. A node that is down is reported once. */
async function* all(ctx: Context, node: string | undefined, signal: AbortSignal): AsyncGenerator<Found[]> {
  const host = hostIn(ctx)
  const unreachable = new Set<string>()
  for (const linked of hostsOf(ctx.runtime, node)) {
    const asked = linked[0] === localNode || linked[0] === node
    yield* asked ? ofNode(ctx, linked, signal) : orFault(linked[0], ofNode(ctx, linked, signal), unreachable)
  }
  if (node === undefined) for (const silent of silentNodes(ctx.runtime)) yield unasked(silent, unreachable)
  for (const id of appliedAccounts(ctx.db, node)) {
    const account = accountById(ctx.runtime.store.db, id)
    if (!account || unreachable.has(account.node)) continue
    yield await ofAccount(host, account, signal).catch((error: unknown) => {
      if (!isAway(error)) throw error
      unreachable.add(account.node)
      return faultOf(account.node)(error)
    })
  }
}

function unasked({ node, reason }: Silent, unreachable: Set<string>): Found[] {
  unreachable.add(node)
  return faultOf(node)({ message: reason })
}

const faultOf =
  (node: string) =>
  ({ message }: Pick<Error, 'message'>): Found[] => [{ path: '/', change: 'fault', note: message, ...nodeIn(node) }]

async function* orFault(
  node: string,
  found: AsyncGenerator<Found[]>,
  unreachable?: Set<string>,
): AsyncGenerator<Found[]> {
  try {
    yield* found
  } catch (error) {
    if (isAway(error)) unreachable?.add(node)
    yield faultOf(node)(error as Error)
  }
}

/** What no account owns on a node. */
async function* ofNode(ctx: Context, linked: LinkedHost, signal: AbortSignal): AsyncGenerator<Found[]> {
  yield await ofServer(ctx, linked, signal)
  yield* ofZones(ctx, linked, { signal })
}

/** Zones of other nodes' accounts, or of one of them, that a node answers for. */
async function* ofZones(
  { runtime }: Context,
  linked: LinkedHost,
  of: { readonly account?: string; readonly signal: AbortSignal },
): AsyncGenerator<Found[]> {
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
async function ofServer(ctx: Context, [node, client]: LinkedHost, signal: AbortSignal): Promise<Found[]> {
  const server = serverOf({ runtime: ctx.runtime, client }, getSetting(ctx.db, 'root_id')!)
  const state = await wantedState(ctx.runtime, node)
  const query = { server, ...(state && { state }) }
  const found = await onNode(ctx.runtime, { node, signal }, (ending) => client.diff(query, { signal: ending }))
  return found.map((difference) => ({ ...nodeIn(node), ...difference }))
}

async function* one(ctx: Context, id: string, signal: AbortSignal): AsyncGenerator<Found[]> {
  const account = named(ctx.db, id)
  yield await ofAccount(hostIn(ctx), account, signal)
  const { runtime } = ctx
  for (const linked of hostsOf(runtime)) yield* orFault(linked[0], ofZones(ctx, linked, { account: id, signal }))
  const answersFor = serversOf(runtime, id)
  for (const { node, reason } of silentNodes(runtime))
    if (answersFor.includes(node)) yield faultOf(node)({ message: reason })
}

async function ofAccount(host: Host, account: FullAccount, signal: AbortSignal): Promise<Found[]> {
  const { id, username, node } = account
  const find = (ending: AbortSignal) => differencesOf(host, account, { signal: ending })
  const found = await onNode(host.runtime, { node, signal }, find)
  return found.map((difference) => ({ account_id: id, username, ...nodeIn(node), ...difference }))
}

const withoutText = ({ diff: _, ...difference }: Found): Omit<Found, 'diff'> => difference

const textOf = ({ path, change, note, diff }: Found): string =>
  diff ?? `# ${path}: ${change}${note ? `, ${note}` : ''}\n`
