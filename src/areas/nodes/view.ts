import type { z } from 'zod'
import type { Node } from '../../contract/nodes.ts'
import { version } from '../../contract/version.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import { localNode } from '../../shared/node-name.ts'
import { whyRetired } from './retire.ts'
import type { NodeRow } from './tables.ts'

type NodeView = z.infer<typeof Node>
type Seen = Pick<Context, 'runtime' | 'now'>

/** The configured state, unless the node cannot fulfil it now. */
function stateOf({ runtime, now }: Seen, node: NodeRow): Pick<NodeView, 'state' | 'reason' | 'draining'> {
  if (node.state === 'retired') return { state: 'retired', ...(node.accounts > 0 && { reason: whyRetired(node) }) }
  if (node.state === 'joining') return { state: 'joining' }
  const draining = node.state === 'draining' && { draining: true }
  if (node.incompatible !== null) return { state: 'incompatible', reason: node.incompatible, ...draining }
  const reason = node.revoked_at === null ? unreachableReason({ runtime, now }, node) : revoked(node)
  if (reason === undefined) return { state: node.state, ...present({ reason: runtime.nodes.trouble(node.name, now) }) }
  return { state: 'down', reason, ...draining }
}

/** A node with an expired certificate is refused, however often it tries. */
function unreachableReason(
  { runtime, now }: Seen,
  { name, certificate_expires_at: ends }: NodeRow,
): string | undefined {
  const why = runtime.nodes.why(name)
  if (why === undefined || ends === null || ends > now) return why
  const day = new Date(ends).toISOString().slice(0, 10)
  return lostTrust(name, `expired on ${day}`)
}

/** Its link ends at the same time. */
const revoked = ({ name }: NodeRow): string => lostTrust(name, 'was revoked')

const lostTrust = (name: string, what: string): string =>
  `Node ${name} is down: its certificate ${what}. Let it join again: panel nodes renew-join ${name}`

export const toNode = (ctx: Seen, node: NodeRow): NodeView => ({
  id: node.id,
  name: node.name,
  roles: [...node.roles],
  labels: [...node.labels],
  addresses: [...node.addresses],
  ...stateOf(ctx, node),
  accounts: node.accounts,
  ...present({
    disk_free_mb: node.disk_free_mb,
    version: node.name === localNode ? version : node.version,
    last_seen: lastSeen(ctx, node),
    certificate_expires_at: node.certificate_expires_at,
  }),
  created_at: node.created_at,
  ...present({ joined_at: node.joined_at }),
})

/** A connected node is seen now. */
export const lastSeen = ({ runtime, now }: Seen, { name, last_seen_at }: NodeRow): number | null =>
  runtime.nodes.why(name) === undefined ? now : last_seen_at
