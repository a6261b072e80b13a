import { invalid } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { nodeByName } from './store.ts'

/** An unknown node is an error, not an empty list; others than root must not learn which nodes exist. */
export function refuseUnknownNode(ctx: Context, name: string | undefined): void {
  if (name !== undefined && isRoot(ctx.actor) && !nodeByName(ctx.db, name)) throw invalid('node', 'is not a node')
}
