import { invalid } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/actor.ts'
import type { Context } from '../../runtime/context.ts'
import { nodeByName } from './store.ts'

/** A list of what is on a node that does not exist is a mistake, and not empty; root alone is told of names. */
export function refuseUnknownNode(ctx: Context, name: string | undefined): void {
  if (name !== undefined && isRoot(ctx.actor) && !nodeByName(ctx.db, name)) throw invalid('node', 'is not a node')
}
