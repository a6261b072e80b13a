import type * as declared from '../../../contract/node-join.ts'
import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { FIRST_ACCOUNT_UID } from '../../../shared/account-uids.ts'
import { localNode } from '../../../shared/node-name.ts'
import { setNode } from '../link/record.ts'
import { linksOf } from '../link/service.ts'
import { distinct } from '../lists.ts'
import { rolesOfAccounts } from '../placement.ts'
import { revoke } from '../retire.ts'
import { nodeById, nodeByName } from '../store.ts'
import { type NodeRow, nodes } from '../tables.ts'
import { pinOf } from '../trust/keys.ts'
import { toNode } from '../view.ts'
import { joinLine, newSecret } from './secret.ts'
import { controlAddresses } from './settings.ts'

/** The port must be open before a join line can name it. */
const opened = ({ runtime }: Pick<Context, 'runtime'>): Promise<number> =>
  linksOf(runtime)
    .open()
    .catch((error: Error) => {
      throw new Problem('not-configured', error.message)
    })

const addressOf = (runtime: Runtime, port: number): string =>
  controlAddresses(runtime)[0] ?? `${runtime.hostname}:${port}`

function invite(ctx: Context, node: NodeRow, port: number) {
  const { runtime } = ctx
  const { secret, stored } = newSecret(ctx.now)
  setNode(runtime, node.id, stored)
  const line = { address: addressOf(runtime, port), node: node.id, secret, pin: pinOf(runtime) }
  return {
    join_line: joinLine(line),
    join_expires_at: stored.join_expires_at,
    node: toNode(ctx, nodeById(ctx.db, node.id)!),
  }
}

const createNode: Handler<typeof declared.createNode, number> = {
  prepare: opened,
  handle(ctx, { body }, port) {
    const { name, roles = [...rolesOfAccounts], labels = [] } = distinct(body)
    // If no node is created, the port must not stay open.
    if (nodeByName(ctx.db, name)) {
      void linksOf(ctx.runtime).closeUnused()
      throw new Problem('exists', `There is a node ${name} already.`, { name: 'is taken' })
    }
    const row = {
      id: ctx.id(),
      name,
      roles,
      labels,
      state: 'joining',
      next_uid: FIRST_ACCOUNT_UID,
      created_at: ctx.now,
    } as const
    ctx.db.insert(nodes).values(row).run()
    ctx.note({ object_id: row.id, after: { name, roles, labels } })
    // The port may have been closed since: the last other node may have been deleted.
    ctx.afterCommit(() => void linksOf(ctx.runtime).openIfNeeded())
    return invite(ctx, nodeById(ctx.db, row.id)!, port)
  },
}

function refuseLocal({ name }: NodeRow): void {
  if (name === localNode) throw new Problem('in-use', 'The control plane runs on this node; it has no link.')
}

function refuseRetired({ name, state }: NodeRow): void {
  if (state === 'retired')
    throw new Problem(
      'in-use',
      `${name} is retired. To take it back before it joins again: panel nodes activate ${name}`,
    )
}

const renewNodeJoin: Handler<typeof declared.renewNodeJoin, number> = {
  prepare(ctx) {
    refuseLocal(ctx.found.node)
    refuseRetired(ctx.found.node)
    return opened(ctx)
  },
  handle(ctx, _input, port) {
    ctx.note({ object_id: ctx.found.node.id })
    return invite(ctx, ctx.found.node, port)
  },
}

const revokeNode: Handler<typeof declared.revokeNode> = {
  handle(ctx) {
    const { id, name } = ctx.found.node
    refuseLocal(ctx.found.node)
    ctx.note({ object_id: id, after: { revoked: true } })
    revoke(ctx.runtime, id, ctx.now)
    for (const { nodeChanged } of ctx.runtime.areas) nodeChanged?.(ctx.runtime)
    ctx.afterCommit(() => ctx.runtime.signals.emit('nodeRevoked', { id, name }))
    return toNode(ctx, nodeById(ctx.db, id)!)
  },
}

export const joinOperations = { createNode, renewNodeJoin, revokeNode }
