import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'

declare module '../../runtime/areas/area.ts' {
  interface Area {
    /** Inside the change that alters a node's roles, addresses or state, revokes it or deletes it. */
    readonly nodeChanged?: (runtime: Runtime) => void
    /** Inside the change that ends the sweep of a node. */
    readonly nodeSwept?: (ctx: Context, node: string) => void
    /** Inside a change: a node holds accounts that a restored store does not know. */
    readonly unknownAccounts?: (runtime: Runtime, ids: readonly string[], node: string) => void
  }
}
