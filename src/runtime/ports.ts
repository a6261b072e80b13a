import type { Feature } from '../contract/common.ts'
import type { Declaration } from '../contract/operation.ts'
import type { PanelName } from '../contract/sessions.ts'
import type { Db, Store } from '../store/open.ts'
import type { Actor } from './actor.ts'
import type { Caller, Context, NewJob } from './context.ts'
import type { EventRow } from './emission.ts'
import type { Runtime } from './runtime.ts'

/** Any of the declared finders. */
export type Finder = (ctx: Context, params: Record<string, string>) => object

/** A password that was right when it was checked. */
export interface CheckedPassword {
  readonly password_hash: string
}

export interface NewOwnPassword {
  readonly checked: CheckedPassword
  readonly hash: string
}

/** What exactly one area provides for all. */
export interface Services {
  /** Whether an account has a feature. */
  readonly hasFeature: (ctx: Context, accountId: string, feature: Feature) => boolean
  /** The node that an account is on. */
  readonly nodeOf: (db: Db, accountId: string) => string
  /** Whether there are accounts on a node. */
  readonly holdsAccounts: (db: Db, node: string) => boolean
  /** Whether the license has expired: the panel is read-only, and provisioning waits. */
  readonly licenseExpired: (store: Store, now: number) => boolean
  /** The actor of a token's secret. 401 when it is unknown or expired, 403 from a forbidden address. */
  readonly authenticateToken: (runtime: Runtime, secret: string, address: string | undefined) => Actor
  /** The actor of a request's session, if it has one. */
  readonly authenticateSession: (runtime: Runtime, op: Declaration, caller: Caller) => Actor | undefined
  /** Whether a panel's cookie is of a session that runs, or of one that ended less than a day ago. */
  readonly sessionStanding: (runtime: Runtime, caller: Caller, panel: PanelName) => 'running' | 'ended' | undefined
  /** Checks the caller's current password and hashes the new one. 400 where it is wrong or the same; 429 for guessing. */
  readonly prepareOwnPassword: (
    ctx: Context,
    passwords: { current_password: string; new_password: string },
  ) => Promise<NewOwnPassword>
  /** Throws 400 for the field unless the password that was checked is still the caller's. Inside a change. */
  readonly confirmOwnPassword: (ctx: Context, field: string, checked: CheckedPassword) => void
}

/** What the runtime needs to know of areas, folded from their list. */
export interface Ports extends Services {
  /** Path prefix that ends in a parameter, to the finder of the object it names. */
  readonly finders: ReadonlyMap<string, Finder>
  readonly onJob: readonly ((runtime: Runtime, job: NewJob) => void)[]
  readonly onEvent: readonly ((runtime: Runtime, event: EventRow) => void)[]
  readonly onPrune: readonly ((runtime: Runtime, seq: number, limit: number) => number)[]
}

declare module './runtime.ts' {
  interface Runtime {
    readonly ports: Ports
  }
}
