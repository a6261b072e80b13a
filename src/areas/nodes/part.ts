import type { Context } from '../../runtime/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'

declare module '../../runtime/area.ts' {
  interface Area {
    /** Inside the change that gives a node other roles, addresses or another state, revokes it or deletes it. */
    readonly nodeChanged?: (runtime: Runtime) => void
    /** Inside the change that ends the sweep of a node. */
    readonly nodeSwept?: (ctx: Context, node: string) => void
    /** Inside a change: after a restore a node holds accounts that the store does not know. */
    readonly unknownHeld?: (runtime: Runtime, ids: readonly string[], node: string) => void
  }
}
