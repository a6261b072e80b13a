import { eq } from 'drizzle-orm'
import type { Privilege } from '../../contract/common.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { getSetting, setSetting } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'
import { resellers } from '../resellers/tables.ts'

/** Who can sign in: root, a reseller, or an account. */
export interface Principal {
  readonly type: 'root' | 'reseller' | 'account'
  readonly id: string
  readonly name: string
  readonly password_hash: string | null
  readonly password_changed_at: number | null
  readonly suspended: boolean
  /** An account's suspension: since when, and why. */
  readonly suspension?: { readonly since: number; readonly reason?: string }
  readonly owner_id: string
  readonly main_domain?: string
  readonly acl?: readonly Privilege[]
  readonly nameservers?: readonly string[]
}

/** The principal with this name in a panel. */
export function principalByName(db: Db, panel: PanelName, username: string): Principal | undefined {
  if (panel === 'admin' && username === 'root') return rootPrincipal(db)
  return fromAccount(db, panel, eq(accounts.username, username))
}

/** The current principal of a session; undefined once it may no longer use that panel. */
export function principalOf(db: Db, panel: PanelName, type: Principal['type'], id: string): Principal | undefined {
  return type === 'root' ? rootPrincipal(db) : fromAccount(db, panel, eq(accounts.id, id))
}

/** Whether the creator of a link or session can sign in as the account: root, or its owner with the privilege. */
export function maySignInAs(db: Db, id: string, account: Principal): boolean {
  if (id === getSetting(db, 'root_id')) return true
  const reseller = principalOf(db, 'admin', 'reseller', id)
  if (!reseller || reseller.suspended || account.owner_id !== id) return false
  return reseller.acl?.some((privilege) => privilege === 'create-user-session' || privilege === 'all') ?? false
}

function rootPrincipal(db: Db): Principal {
  const id = getSetting(db, 'root_id')!
  return {
    type: 'root',
    id,
    name: 'root',
    owner_id: id,
    password_hash: getSetting(db, 'root_password_hash') ?? null,
    password_changed_at: getSetting(db, 'root_password_changed_at') ?? null,
    suspended: false,
  }
}

function fromAccount(db: Db, panel: PanelName, which: ReturnType<typeof eq>): Principal | undefined {
  const found = db.select().from(accounts).leftJoin(resellers, eq(resellers.account_id, accounts.id)).where(which).get()
  if (!found || found.accounts.terminating || (panel === 'admin' && !found.resellers)) return undefined
  const { id, username: name, main_domain, owner_id, password_hash, password_changed_at, suspended_at } = found.accounts
  const account = { id, name, main_domain, owner_id, password_hash, password_changed_at }
  const suspended = suspended_at !== null
  if (panel === 'user' || !found.resellers)
    return { ...account, type: 'account', suspended, ...suspensionOf(found.accounts) }
  const { acl, nameservers, suspended_at: reseller_suspended_at } = found.resellers
  return { ...account, type: 'reseller', suspended: suspended || reseller_suspended_at !== null, acl, nameservers }
}

const suspensionOf = ({ suspended_at, suspend_reason }: typeof accounts.$inferSelect) =>
  suspended_at === null
    ? {}
    : { suspension: { since: suspended_at, ...(suspend_reason !== '' && { reason: suspend_reason }) } }

/** Stores a new password hash; inside a change. */
export function keepPassword(
  db: Db,
  principal: Pick<Principal, 'type' | 'id'>,
  password_hash: string,
  now: number,
): void {
  if (principal.type !== 'root') {
    db.update(accounts).set({ password_hash, password_changed_at: now }).where(eq(accounts.id, principal.id)).run()
    return
  }
  setSetting(db, 'root_password_hash', password_hash)
  setSetting(db, 'root_password_changed_at', now)
}
