import { and, eq, inArray } from 'drizzle-orm'
import { Problem } from '../../contract/problem.ts'
import { stopJob, unfinished } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { jobs } from '../../runtime/tables.ts'
import { localNode } from '../../shared/node-name.ts'
import { forgetRoom } from './link/record.ts'
import { accountsOn, ifLost } from './retire.ts'
import { allNodes } from './store.ts'
import { type NodeRow, nodes } from './tables.ts'

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** A node was deleted: its link ends. */
    nodeDeleted: [node: { readonly id: string; readonly name: string }]
  }
}

/** Deletes a node without accounts; drops its pending jobs. */
export function removeNode(ctx: Context, node: NodeRow): void {
  const { id, name, accounts } = node
  if (name === localNode) throw new Problem('in-use', 'The control plane runs on this node.')
  if (accounts > 0)
    throw new Problem(
      'in-use',
      `${accountsOn(node)}; terminate ${accounts === 1 ? 'it' : 'them'} first. ${remedyFor(node)}`,
    )
  const left = ctx.db
    .select()
    .from(jobs)
    .where(and(eq(jobs.node, name), inArray(jobs.status, [...unfinished])))
    .all()
  for (const job of left) stopJob(ctx.runtime, job)
  ctx.db.delete(nodes).where(eq(nodes.id, id)).run()
  ctx.note({ object_id: id, before: { name } })
  for (const { nodeChanged } of ctx.runtime.areas) nodeChanged?.(ctx.runtime)
  if (allNodes(ctx.db).length === 1) forgetRoom(ctx.runtime)
  ctx.afterCommit(() => {
    ctx.runtime.nodes.forget(name)
    ctx.runtime.signals.emit('nodeDeleted', { id, name })
  })
}

const remedyFor = (node: NodeRow): string =>
  node.state === 'retired' ? 'Their backups can be restored on other nodes: panel backups restore-as' : ifLost(node)
