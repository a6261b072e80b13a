import type * as declared from '../../contract/host.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { localNode } from '../../shared/node-name.ts'
import { nameOf } from '../accounts/store.ts'
import { refuseUnknownNode } from '../nodes/filter.ts'
import { nodeByName } from '../nodes/store.ts'
import { sweepOf } from '../nodes/sweep.ts'
import { phpView, storeReport } from '../php/store.ts'
import { getHostDiff, named } from './diff.ts'
import { hostOf } from './host.ts'
import { countsOf, lookAt, type Seen, visibleMachine } from './inspect.ts'
import { ownOf } from './names/own.ts'
import { namesView, type SeenNames, seeNames } from './names/view.ts'
import { othersIn } from './unreachable-nodes.ts'
import { nodeIn } from './view.ts'

/** Lookup results of a request, until it is answered. */
const found = new WeakMap<object, Seen>()
const foundNames = new WeakMap<object, SeenNames>()

const getHost: Handler<typeof declared.getHost> = {
  wait(ctx, { query }, { signal }) {
    const { runtime } = ctx
    refuseUnknownNode(ctx, query.node)
    const { node = localNode } = query
    const host = hostOf(runtime, node)
    if (!query.accounts && host.kind !== 'debian') return undefined
    const own = host.kind === 'debian' ? ownOf(runtime, node) : undefined
    const names = own && seeNames(own).then((seen) => foundNames.set(query, seen))
    const looked = lookAt(runtime, host, query.accounts === true, signal()).then(async (seen) => {
      found.set(query, seen)
      if (seen.machine?.php) await storeReport(runtime.store, node, seen.machine.php)
    })
    return Promise.all([looked, names]).then(() => {})
  },
  handle({ runtime }, { query }) {
    const { node = localNode } = query
    const { kind, status } = hostOf(runtime, node)
    const { unknown, machine } = found.get(query) ?? {}
    const names = foundNames.get(query)
    const counts = { ...countsOf(runtime.store, node)! }
    const trust_tenants = runtime.runsTenantCode && kind === 'directory'
    const isUnreachable = node !== localNode && status.status === 'unreachable'
    const driver = isUnreachable ? nodeByName(runtime.store.db, node)?.driver : kind
    const visible = { ...nodeIn(node), ...present({ driver }), agent: { ...status }, counts, trust_tenants }
    return {
      ...visible,
      ...(machine || driver === 'directory'
        ? { machine: { ...(machine && visibleMachine(machine)), php: phpView(runtime.store.db, node) } }
        : {}),
      ...(names && namesView(runtime, node, names)),
      ...(unknown && { unknown_accounts: unknown.map((one) => ({ ...one })) }),
      ...(query.node === undefined && othersOf(runtime)),
    }
  },
}

function othersOf({ store, nodes }: Context['runtime']) {
  const others = othersIn(store.db)
  if (others.length === 0) return {}
  const visible = others.map(({ name, accounts }) => {
    const reason = nodes.why(name)
    return { node: name, accounts, ...(reason === undefined ? running : { status: 'unreachable' as const, reason }) }
  })
  return { nodes: visible }
}

const running = { status: 'running' } as const

const applyHost: Handler<typeof declared.applyHost> = {
  handle(ctx, { body }) {
    if (body.node !== undefined) return applyNode(ctx, body.node, body.account_id)
    if (body.account_id === undefined) return applyAll(ctx)
    const account = named(ctx.db, body.account_id)
    if (account.terminating) throw new Problem('busy', `${account.username} is being terminated.`)
    ctx.note({ account: nameOf(account) })
    return { job_id: ctx.enqueue({ kind: 'host.apply', account: nameOf(account) }) }
  },
}

function applyNode(ctx: Context, name: string, account: string | undefined): { job_id: string } {
  if (account !== undefined) throw invalid('node', 'cannot be combined with account_id')
  refuseUnknownNode(ctx, name)
  const node = nodeByName(ctx.db, name)!
  if (node.state === 'joining') throw invalid('node', 'has not joined yet')
  if (node.state === 'retired') throw invalid('node', 'is retired')
  return { job_id: ctx.enqueue(sweepOf(node)) }
}

/** Enqueues a job per node, the control plane's own first; for the others, returns why they wait. */
function applyAll(ctx: Context) {
  const job_id = ctx.enqueue(sweepOf({ id: '', name: localNode }))
  const others = othersIn(ctx.db)
  if (others.length === 0) return { job_id }
  const nodes = others.map((node) => {
    const waiting_for = ctx.runtime.nodes.why(node.name)
    const job = { node: node.name, job_id: ctx.enqueue(sweepOf(node)) }
    return waiting_for === undefined ? job : { ...job, waiting_for }
  })
  return { job_id, nodes }
}

const verifyHost: Handler<typeof declared.verifyHost> = {
  handle(ctx, { body }) {
    const account = named(ctx.db, body.account_id)
    if (account.terminating) throw new Problem('busy', `${account.username} is being terminated.`)
    ctx.note({ account: nameOf(account) })
    return { job_id: ctx.enqueue({ kind: 'host.verify', account: nameOf(account) }) }
  },
}

export const hostOperations = { getHost, getHostDiff, applyHost, verifyHost }
