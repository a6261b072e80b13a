import { domainToASCII } from 'node:url'
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Privilege } from '../../contract/common.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { getSetting, setSetting } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'
import { domains } from '../domains/tables.ts'
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

/** The account, reseller or root that a sign-in name belongs to. The name is a username, one of the account's domains, or its contact address. */
export function principalAnywhere(db: Db, name: string, panel: PanelName): PanelPrincipal {
  const username = usernameOf(db, name)
  const panels: readonly PanelName[] = panel === 'admin' ? ['admin', 'user'] : ['user', 'admin']
  const found = panels.flatMap((one) => {
    const principal = principalByName(db, one, username)
    return principal ? [{ panel: one, username, principal }] : []
  })
  // A reseller suspended as such still has its own hosting account.
  return found.find(({ principal }) => !principal.suspended) ?? found[0] ?? { panel: 'user', username }
}

export interface PanelPrincipal {
  readonly panel: PanelName
  /** What was typed, if it is not a username. */
  readonly username: string
  readonly principal?: Principal | undefined
}

function usernameOf(db: Db, name: string): string {
  if (name.includes('@')) return onlyName(db, eq(sql`lower(${accounts.contact_email})`, name)) ?? name
  if (!name.includes('.')) return name
  const domain = domainToASCII(name)
  const ids = db.select({ id: domains.account_id }).from(domains).where(eq(domains.name, domain))
  return onlyName(db, inArray(accounts.id, ids)) ?? name
}

/** Undefined if several accounts match: a contact address may be shared. */
function onlyName(db: Db, which: SQL): string | undefined {
  const found = db.select({ username: accounts.username }).from(accounts).where(which).limit(2).all()
  return found.length === 1 ? found[0]!.username : undefined
}

/** Whether a reseller can use both panels; none of them while it is suspended there. */
export function resellerIn(db: Db, panel: PanelName, id: string): Principal | undefined {
  const reseller = principalOf(db, 'admin', 'reseller', id)
  if (reseller?.type !== 'reseller') return undefined
  const principal = panel === 'admin' ? reseller : principalOf(db, 'user', 'account', id)
  return principal?.suspended ? undefined : principal
}

/** The current principal of a session; undefined once it may no longer use that panel. */
export function principalOf(db: Db, panel: PanelName, type: Principal['type'], id: string): Principal | undefined {
  return type === 'root' ? rootPrincipal(db) : fromAccount(db, panel, eq(accounts.id, id))
}

/** Root, a reseller or an account by its id, if it may use the panel. */
export function principalIn(db: Db, panel: PanelName, id: string): Principal | undefined {
  if (id !== getSetting(db, 'root_id')) return fromAccount(db, panel, eq(accounts.id, id))
  return panel === 'admin' ? rootPrincipal(db) : undefined
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

/** Tells that the password of an account was changed; inside a change. */
export function emitChanged(ctx: Context, { type, id, name: username, main_domain, owner_id }: Principal): void {
  if (type === 'root') return
  const account = { id, username, domain: main_domain ?? '', owner_id }
  ctx.emit({ type: 'account.password_changed', account, object_id: id, details: {} })
}
