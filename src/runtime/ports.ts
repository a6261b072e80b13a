import type { Feature } from '../contract/common.ts'
import type { Context } from './context.ts'
import type { EventRow } from './emit.ts'
import type { Runtime } from './runtime.ts'

/** Looks up an object of a path with the actor; throws `not-found` when it is unknown or not the actor's. */
export type Finder = (ctx: Context, params: Record<string, string>) => unknown

/** What the runtime needs to know of areas, registered by who composes them. */
export interface Ports {
  /** Path prefix that ends in a parameter, to the finder of the object it names. */
  readonly finders: ReadonlyMap<string, Finder>
  /** Whether an account has a feature. */
  readonly hasFeature: (ctx: Context, accountId: string, feature: Feature) => boolean
  /** Whether the license has lapsed: reading only, and provisioning waits. */
  readonly lapsed: (now: number) => boolean
  /** Called inside the change that records an event. */
  readonly onEvent: readonly ((runtime: Runtime, event: EventRow) => void)[]
  /** Called inside a change before events up to a seq are pruned: takes away at most so many rows of theirs, and answers how many. */
  readonly onPrune: readonly ((runtime: Runtime, seq: number, limit: number) => number)[]
}
