import { eq } from 'drizzle-orm'
import type * as declared from '../../contract/nodes.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { localNode } from '../../shared/node-name.ts'
import { page } from '../../store/page.ts'
import { linksOf } from './link/service.ts'
import { distinct, refuseAddresses } from './lists.ts'
import { rolesOfAccounts } from './placement.ts'
import { getPlacement } from './placement-preview.ts'
import { removeNode } from './remove.ts'
import { accountsOn, followRetirement, ifLost, refuseGivingUp } from './retire.ts'
import { nodeById } from './store.ts'
import { type NodeRow, nodes } from './tables.ts'
import { getNodeTargets } from './targets.ts'
import { toNode } from './view.ts'

type NodePatch = Partial<Pick<NodeRow, 'roles' | 'labels' | 'addresses'>> & {
  state?: 'active' | 'draining' | 'retired'
}
type NodeChanges = NodePatch & { lost?: boolean }

const listNodes: Handler<typeof declared.listNodes> = {
  handle(ctx, { query }) {
    const rows = ctx.db.select().from(nodes).$dynamic()
    const { items, total } = page(ctx.db, { rows, table: nodes, id: nodes.id, name: nodes.name }, query)
    return { items: items.map((node) => toNode(ctx, node)), total }
  },
}

const getNode: Handler<typeof declared.getNode> = { handle: (ctx) => toNode(ctx, ctx.found.node) }

/** A node with accounts must keep what they need. */
function refuseLoss(ctx: Context, node: NodeRow, { roles, state, lost: isLost }: NodeChanges): void {
  if (node.name === localNode && roles?.includes('dns-secondary'))
    throw invalid('roles', `${localNode} is what secondaries take zones from; give it the role dns`)
  const lost = roles && rolesOfAccounts.filter((role) => node.roles.includes(role) && !roles.includes(role))
  if (lost && lost.length > 0 && node.accounts > 0)
    throw new Problem('in-use', `${accountsOn(node)}: its role ${lost[0]} is needed.`)
  if (state !== 'retired') return
  if (node.name === localNode) throw new Problem('in-use', 'The control plane runs on this node; drain it instead.')
  if (isLost) refuseGivingUp(ctx, node, linksOf(ctx.runtime).started)
  else if (node.accounts > 0)
    throw new Problem('in-use', `${accountsOn(node)}; drain it, and retire it once it has none. ${ifLost(node)}`)
}

function changeNode(ctx: Context, node: NodeRow, { lost, ...changes }: NodeChanges) {
  if (lost && changes.state !== 'retired') throw invalid('lost', 'can only be set together with state retired')
  refuseLoss(ctx, node, { ...changes, ...(lost && { lost }) })
  const fields = Object.entries(changes).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(node[name as keyof NodeRow]),
  )
  if (changes.state !== undefined && node.state === 'joining')
    throw new Problem('incomplete', `${node.name} has not joined yet.`)
  if (fields.length > 0) {
    const after = Object.fromEntries(fields)
    ctx.db.update(nodes).set(after).where(eq(nodes.id, node.id)).run()
    const before = Object.fromEntries(fields.map(([name]) => [name, node[name as keyof NodeRow]]))
    const details = lost && node.accounts > 0 ? { lost, accounts: node.accounts } : {}
    ctx.note({ object_id: node.id, before, after: { ...after, ...details } })
    if ('state' in after) followRetirement(ctx, node, changes.state)
    for (const { nodeChanged } of ctx.runtime.areas) nodeChanged?.(ctx.runtime)
  } else ctx.note({ object_id: node.id })
  return toNode(ctx, nodeById(ctx.db, node.id)!)
}

const updateNode: Handler<typeof declared.updateNode> = {
  handle(ctx, { body }) {
    refuseAddresses(body.addresses)
    return changeNode(ctx, ctx.found.node, distinct(body) as NodeChanges)
  },
}

const drainNode: Handler<typeof declared.drainNode> = {
  handle: (ctx) => changeNode(ctx, ctx.found.node, { state: 'draining' }),
}

const activateNode: Handler<typeof declared.activateNode> = {
  handle: (ctx) => changeNode(ctx, ctx.found.node, { state: 'active' }),
}

const deleteNode: Handler<typeof declared.deleteNode> = {
  handle(ctx, { query: { confirm } }) {
    if (confirm !== undefined && confirm !== ctx.found.node.name) throw invalid('confirm', "must be the node's name")
    removeNode(ctx, ctx.found.node)
    return undefined
  },
}

export const nodeOperations = {
  listNodes,
  getNode,
  updateNode,
  drainNode,
  activateNode,
  deleteNode,
  getNodeTargets,
  getPlacement,
}
