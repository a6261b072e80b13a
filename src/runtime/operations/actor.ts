import type { Privilege } from '../../contract/common.ts'
import type { ActorType, Via } from '../../contract/events.ts'

/** The API token a call came with. */
export interface TokenUse {
  readonly id: string
  readonly name: string
  readonly kind: 'admin' | 'account'
  readonly scopes: readonly string[]
}

/** The session a call came with. */
export interface SessionUse {
  readonly id: string
  readonly panel: 'admin' | 'user'
  /** The password was confirmed recently, as sensitive operations require. */
  readonly confirmed?: boolean
  /** The user behind a "log in as" session. */
  readonly actingAs?: { readonly id: string; readonly name: string } | undefined
  /** What the user must do first: change the password, or set up the second factor. */
  readonly restricted?: 'password' | 'two-factor' | undefined
}

export interface Actor {
  readonly type: ActorType
  readonly id: string
  readonly name: string
  readonly via: Via
  readonly address?: string | undefined
  readonly token?: TokenUse | undefined
  readonly session?: SessionUse | undefined
  /** A reseller's current privileges. */
  readonly acl?: readonly Privilege[] | undefined
  /** The AI agent that acts for it: the name that its client claims, and the reason that it gives. */
  readonly client?: string | undefined
  readonly reason?: string | undefined
  /** Whether the account or reseller is suspended now. */
  readonly suspended?: boolean | undefined
}

export const isRoot = (actor: Actor): boolean => actor.type === 'root' || actor.type === 'system'

export const holds = (actor: Actor, privilege: Privilege): boolean =>
  isRoot(actor) || (actor.acl?.includes(privilege) ?? false) || (actor.acl?.includes('all') ?? false)
