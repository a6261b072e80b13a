import type { NodeRole } from '../../contract/node-names.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID } from '../../shared/account-uids.ts'
import { allNodes } from './store.ts'
import type { NodeRow } from './tables.ts'

/** What an account requires of its node. */
export interface Need {
  /** Required free disk space in MB; null for none. */
  readonly quota: number | null
  readonly labels: readonly string[]
}

/** An account's files, mail and databases are on one node. */
export const rolesOfAccounts: readonly NodeRole[] = ['web', 'db', 'mail']

/** Why a node cannot take an account; undefined if it can. */
export function unfitness(
  { runtime }: Pick<Context, 'runtime'>,
  node: NodeRow,
  { quota, labels }: Need,
): string | undefined {
  if (node.state !== 'active') return `is ${node.state}`
  if (runtime.nodes.why(node.name) !== undefined) return node.incompatible === null ? 'is down' : 'is incompatible'
  const missing = rolesOfAccounts.filter((role) => !node.roles.includes(role))
  if (missing.length > 0) return `lacks ${missing.length === 1 ? 'the role' : 'the roles'} ${missing.join(' and ')}`
  const unlabelled = labels.filter((label) => !node.labels.includes(label))
  if (unlabelled.length > 0)
    return `lacks ${unlabelled.length === 1 ? 'the label' : 'the labels'} ${unlabelled.join(', ')}`
  if (quota !== null && node.disk_free_mb !== null && node.disk_free_mb < quota)
    return `has ${node.disk_free_mb} MB free of the ${quota} MB that the package grants`
  return node.next_uid > LAST_ACCOUNT_UID
    ? `has used every user id from ${FIRST_ACCOUNT_UID} to ${LAST_ACCOUNT_UID}`
    : undefined
}

/** The suitable node with the fewest accounts. */
export function chosen(ctx: Pick<Context, 'runtime'>, all: readonly NodeRow[], need: Need): NodeRow | undefined {
  const fit = all.filter((node) => unfitness(ctx, node, need) === undefined)
  return fit.reduce<NodeRow | undefined>(
    (best, node) => (best && best.accounts <= node.accounts ? best : node),
    undefined,
  )
}

/** Chooses a node for an account, or checks the one that root names. */
export function placeAccount(ctx: Context, need: Need, requestedNode: string | undefined): string {
  if (requestedNode !== undefined) return namedNode(ctx, need, requestedNode)
  const all = allNodes(ctx.db)
  const node = chosen(ctx, all, need)
  if (!node) throw noneOf(ctx, all, need)
  return node.name
}

function namedNode(ctx: Context, need: Need, requestedNode: string): string {
  if (!isRoot(ctx.actor)) throw invalid('node', 'only root can choose a node')
  const node = allNodes(ctx.db).find(({ name }) => name === requestedNode)
  if (!node) throw invalid('node', 'is not a node')
  const why = unfitness(ctx, node, need)
  if (why !== undefined) throw invalid('node', why)
  return node.name
}

const MAX_NAMED_ACCOUNTS = 5

function noneOf(ctx: Context, all: readonly NodeRow[], need: Need): Problem {
  if (all.length === 1 && all[0]!.next_uid > LAST_ACCOUNT_UID)
    return new Problem(
      'too-many',
      `Every user id from ${FIRST_ACCOUNT_UID} to ${LAST_ACCOUNT_UID} has been used on this server.`,
    )
  const reasons = all.slice(0, MAX_NAMED_ACCOUNTS).map((node) => `${node.name} ${unfitness(ctx, node, need)}`)
  const others = all.length > MAX_NAMED_ACCOUNTS ? `; ${all.length - MAX_NAMED_ACCOUNTS} others cannot either` : ''
  return new Problem('limit-reached', `No node can take this account: ${reasons.join('; ')}${others}.`)
}
