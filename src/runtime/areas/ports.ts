import type { Feature } from '../../contract/common.ts'
import type { Declaration } from '../../contract/operation.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Db, Store } from '../../store/open.ts'
import type { EventRow } from '../events/emission.ts'
import type { Actor } from '../operations/actor.ts'
import type { Caller, Context, NewJob } from '../operations/context.ts'
import type { Runtime } from '../runtime.ts'

/** Any of the declared finders. */
export type Finder = (ctx: Context, params: Record<string, string>) => object

/** A password that was correct when checked. */
export interface CheckedPassword {
  readonly password_hash: string
}

export interface FailedSignIn {
  readonly service: 'panel' | 'api'
  /** Undefined on the local socket. */
  readonly address: string | undefined
  /** The name that was tried. */
  readonly name?: string | undefined
}

export interface NewOwnPassword {
  readonly checked: CheckedPassword
  readonly hash: string
}

/** Services that exactly one area provides. */
export interface Services {
  /** Whether an account has a feature. */
  readonly hasFeature: (ctx: Context, accountId: string, feature: Feature) => boolean
  /** The node that an account is on. */
  readonly nodeOf: (db: Db, accountId: string) => string
  /** Who owns an account; undefined for unknown ones. */
  readonly ownerOf: (db: Db, accountId: string) => string | undefined
  /** 409 `limit-reached` for a change, of a body of so many bytes, that leads to too large a state of an account. */
  readonly refuseLargeChange: (ctx: Context, bodyBytes: number) => void
  /** Whether a node has accounts. */
  readonly holdsAccounts: (db: Db, node: string) => boolean
  /** Whether the license has expired: the panel is read-only, and provisioning waits. */
  readonly licenseExpired: (store: Store, now: number) => boolean
  /**
   * The actor of a token. 401 if it is unknown or expired, or bound to a resource other than the one named; 403 from a
   * forbidden address.
   */
  readonly authenticateToken: (
    runtime: Runtime,
    secret: string,
    address: string | undefined,
    resource?: string,
  ) => Actor
  /** The actor of a request's session, if it has one. */
  readonly authenticateSession: (runtime: Runtime, op: Declaration, caller: Caller) => Actor | undefined
  /** Whether a panel's cookie belongs to a running session, or to one that ended less than a day ago. */
  readonly sessionStatus: (runtime: Runtime, caller: Caller, panel: PanelName) => 'running' | 'ended' | undefined
  /**
   * Checks the caller's current password and hashes the new one. 400 if it is wrong or unchanged; 429 after too many
   * tries.
   */
  readonly prepareOwnPassword: (
    ctx: Context,
    passwords: { current_password: string; new_password: string },
  ) => Promise<NewOwnPassword>
  /** A wrong password, code or token: those of one address are counted, and too many have it banned. */
  readonly signInFailed: (runtime: Runtime, failed: FailedSignIn) => void
  /** A right one: the address is forgiven some of what it failed. */
  readonly signInSucceeded: (runtime: Runtime, address: string | undefined) => void
  /** Throws 400 for the field if the caller's password has changed since the check. Inside a change. */
  readonly confirmOwnPassword: (ctx: Context, field: string, checked: CheckedPassword) => void
}

/** What the runtime needs from areas, merged from their list. */
export interface Ports extends Services {
  /** The finder for each path prefix that ends in a parameter. */
  readonly finders: ReadonlyMap<string, Finder>
  readonly onJob: readonly ((runtime: Runtime, job: NewJob) => void)[]
  readonly onEvent: readonly ((runtime: Runtime, event: EventRow) => void)[]
  readonly onPrune: readonly ((runtime: Runtime, seq: number, limit: number) => number)[]
}

declare module '../runtime.ts' {
  interface Runtime {
    readonly ports: Ports
  }
}
