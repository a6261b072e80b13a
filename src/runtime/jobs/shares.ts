import type { Db } from '../../store/open.ts'
import { type Actor, isRoot } from '../operations/actor.ts'
import type { Runtime } from '../runtime.ts'
import { getSetting } from '../settings/settings.ts'

/** Whose share an account's work counts towards: its reseller's, or its own if root owns it. */
export const shareholder = (db: Db, account: string, owner = account): string =>
  owner === getSetting(db, 'root_id') ? account : owner

/** The same for an account whose owner must be looked up. */
export const shareholderOf = ({ ports, store: { db } }: Pick<Runtime, 'ports' | 'store'>, account: string): string =>
  shareholder(db, account, ports.ownerOf(db, account))

/** Whose share a caller's own requests count towards; undefined for root. */
export const shareholderOfCaller = (runtime: Runtime, actor: Actor): string | undefined =>
  isRoot(actor) ? undefined : shareholderOf(runtime, actor.id)

/** Whose turn it is in a queue: turns go round the owners, and in an owner's turn round its members. */
export interface Turn {
  readonly owner: string
  readonly member: string
}

/** The turn of a caller's own requests; undefined for root, which waits for nobody. */
export function turnOfCaller({
  runtime,
  actor,
}: {
  readonly runtime: Runtime
  readonly actor: Actor
}): Turn | undefined {
  const owner = shareholderOfCaller(runtime, actor)
  return owner === undefined ? undefined : { owner, member: actor.id }
}
