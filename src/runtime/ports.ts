import type { Feature } from '../contract/common.ts'
import type { Declaration } from '../contract/operation.ts'
import type { Db } from '../store/open.ts'
import type { Actor } from './actor.ts'
import type { Caller, Context } from './context.ts'
import type { EventRow } from './emission.ts'
import type { Runtime } from './runtime.ts'

/** Looks up an object of a path with the actor; throws `not-found` when it is unknown or not the actor's. */
export type Finder = (ctx: Context, params: Record<string, string>) => unknown

/** What exactly one area provides for all. */
export interface Services {
  /** Whether an account has a feature. */
  readonly hasFeature: (ctx: Context, accountId: string, feature: Feature) => boolean
  /** Whether the license has lapsed: reading only, and provisioning waits. */
  readonly lapsed: (db: Db, now: number) => boolean
  /** The actor of a token's secret. 401 when it is unknown or expired, 403 from a forbidden address. */
  readonly authenticateToken: (runtime: Runtime, secret: string, address: string | undefined) => Actor
  /** The actor of a request's session, if it has one. */
  readonly authenticateSession: (runtime: Runtime, op: Declaration, caller: Caller) => Actor | undefined
}

/** What the runtime needs to know of areas, folded from their list. */
export interface Ports extends Services {
  /** Path prefix that ends in a parameter, to the finder of the object it names. */
  readonly finders: ReadonlyMap<string, Finder>
  readonly onEvent: readonly ((runtime: Runtime, event: EventRow) => void)[]
  readonly onPrune: readonly ((runtime: Runtime, seq: number, limit: number) => number)[]
}

declare module './runtime.ts' {
  interface Runtime {
    readonly ports: Ports
  }
}
