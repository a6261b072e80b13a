import { eq, sql } from 'drizzle-orm'
import { changeAccountPassword } from '../../../contract/accounts.ts'
import { Problem } from '../../../contract/problem.ts'
import type { Actor } from '../../../runtime/operations/actor.ts'
import { authorize } from '../../../runtime/operations/authorize.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { getSetting, type Settings } from '../../../runtime/settings/settings.ts'
import type { Db } from '../../../store/open.ts'
import type { BackupPart } from '../../accounts/objects/part.ts'
import type { FullAccount } from '../../accounts/store.ts'
import { principalOf } from '../principal.ts'
import { resetAddresses } from '../tables.ts'

/**
 * A contact address gets links that set the password, so a change of it counts for them only if who made it could have
 * set the password as well: not a token of the account, and not a session in which the password was not confirmed.
 */

/** The address that gets a principal's links instead of its contact address. */
export const resetAddressOf = (db: Db, principal_id: string): string | undefined =>
  db.select().from(resetAddresses).where(eq(resetAddresses.principal_id, principal_id)).get()?.address

/** Principals whose links go to an address. */
export const principalsAt = (db: Db, address: string, max: number): string[] =>
  db
    .select({ id: resetAddresses.principal_id })
    .from(resetAddresses)
    .where(eq(sql`lower(${resetAddresses.address})`, address))
    .limit(max)
    .all()
    .map(({ id }) => id)

/** Lets the contact address get links from now on; inside a change. */
export const trustContact = (db: Db, principal_id: string): void =>
  void db.delete(resetAddresses).where(eq(resetAddresses.principal_id, principal_id)).run()

/** Lets links go on to the former address; inside a change. */
export const keepResetAddress = (db: Db, principal_id: string, address: string): void =>
  void db.insert(resetAddresses).values({ principal_id, address }).onConflictDoNothing().run()

interface SavedAddress {
  /** Null if the contact address gets the links. */
  readonly reset_address: string | null
}

/**
 * A new account that gets the contact address of a backup gets the address for links as well. Without one, as in older
 * backups, its links go nowhere until the contact address is set by who may set the password.
 */
export const backup: BackupPart = {
  part: 'config',
  save: ({ store: { db } }, { id }) => ({ data: { reset_address: resetAddressOf(db, id) ?? null } }),
  restore({ db }, { id, contact_email }, { account: former, data }) {
    const { reset_address } = data as SavedAddress
    if (former.id === id || contact_email !== '') return []
    trustContact(db, id)
    if (reset_address !== null) keepResetAddress(db, id, reset_address)
    return []
  },
}

/** Follows a change of an account's contact address. */
export function contactChanged(ctx: Context, before: FullAccount, after: FullAccount): void {
  if (before.contact_email === after.contact_email) return
  if (maySetPassword(ctx, after)) trustContact(ctx.db, after.id)
  else keepResetAddress(ctx.db, after.id, before.contact_email)
}

function maySetPassword({ db, actor }: Context, { id }: FullAccount): boolean {
  const { session } = actor
  if (actor.id !== id) return mayChangePassword(actor, id)
  if (session?.confirmed) return true
  return session?.actingAs !== undefined && maySetPasswordOfOthers(db, session.actingAs.id)
}

/** Root, or a reseller with the privilege. */
function maySetPasswordOfOthers(db: Db, id: string): boolean {
  if (id === getSetting(db, 'root_id')) return true
  const acl = principalOf(db, 'admin', 'reseller', id)?.acl ?? []
  return acl.includes('passwd') || acl.includes('all')
}

function mayChangePassword(actor: Actor, id: string): boolean {
  try {
    authorize(changeAccountPassword, actor, { id })
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** Follows a change of root's contact address: tokens cannot set root's password. */
export function rootContactChanged(
  { db, actor }: Context,
  changed: Partial<Settings>,
  before: Partial<Settings>,
): void {
  if (!('contact_email' in changed)) return
  const root = getSetting(db, 'root_id')!
  if (!actor.token && actor.session?.confirmed !== false) trustContact(db, root)
  else keepResetAddress(db, root, before.contact_email ?? '')
}
