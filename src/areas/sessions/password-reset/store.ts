import { createHash, randomBytes } from 'node:crypto'
import { and, count, eq, gt, lte, sql } from 'drizzle-orm'
import type { Context } from '../../../runtime/operations/context.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { hour } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'
import { accounts } from '../../accounts/tables.ts'
import { type Principal, principalAnywhere, principalOf } from '../principal.ts'
import { passwordResets } from '../tables.ts'
import { principalsAt, resetAddressOf } from './address.ts'

export const LINK_LIFE_MS = hour
const MAX_LINKS_PER_HOUR = 3
/** Accounts that share a contact address and get a link each. */
const MAX_ACCOUNTS_PER_ADDRESS = 5

/** Who gets a link, and where. */
export interface Recipient {
  readonly principal: Principal
  readonly address: string
  readonly locale: string
}

/** Those that a sign-in name belongs to and that have a contact address; a shared address belongs to several. */
export function recipientsOf(db: Db, name: string): Recipient[] {
  const ids = name.includes('@') ? idsAt(db, name) : [principalAnywhere(db, name, 'user').principal?.id]
  if (name === 'root') ids.push(getSetting(db, 'root_id'))
  const found = [...new Set(ids)].flatMap((id) => (id === undefined ? [] : (recipientOf(db, id) ?? [])))
  return name.includes('@') ? found.filter(({ address }) => address.toLowerCase() === name) : found
}

function idsAt(db: Db, address: string): (string | undefined)[] {
  const has = eq(sql`lower(${accounts.contact_email})`, address)
  const found = db.select({ id: accounts.id }).from(accounts).where(has).limit(MAX_ACCOUNTS_PER_ADDRESS).all()
  const isRoots = getSetting(db, 'contact_email')?.toLowerCase() === address
  const ids = [...found.map(({ id }) => id), ...(isRoots ? [getSetting(db, 'root_id')!] : [])]
  return [...ids, ...principalsAt(db, address, MAX_ACCOUNTS_PER_ADDRESS)]
}

/** Undefined for one that cannot sign in, or without an address. */
function recipientOf(db: Db, id: string): Recipient | undefined {
  const principal = principalById(db, id)
  if (!principal || principal.suspended) return undefined
  const { contact, locale } =
    principal.type === 'root' ? { contact: getSetting(db, 'contact_email'), locale: 'en' } : contactOf(db, id)
  const address = resetAddressOf(db, id) ?? contact
  return address ? { principal, address, locale } : undefined
}

const contactOf = (db: Db, id: string) =>
  db
    .select({ contact: accounts.contact_email, locale: accounts.locale })
    .from(accounts)
    .where(eq(accounts.id, id))
    .get()!

const principalById = (db: Db, id: string): Principal | undefined =>
  id === getSetting(db, 'root_id') ? principalOf(db, 'admin', 'root', id) : principalOf(db, 'user', 'account', id)

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** A new link's token; undefined if it has had enough of them lately. Inside a change. */
export function createReset(ctx: Context, { principal, address }: Recipient): string | undefined {
  const { db, now } = ctx
  db.delete(passwordResets).where(lte(passwordResets.expires_at, now)).run()
  const own = eq(passwordResets.principal_id, principal.id)
  const { total } = db.select({ total: count() }).from(passwordResets).where(own).get()!
  if (total >= MAX_LINKS_PER_HOUR) return undefined
  const token = randomBytes(32).toString('base64url')
  const times = { set_at: principal.password_changed_at, created_at: now, expires_at: now + LINK_LIFE_MS }
  db.insert(passwordResets)
    .values({ id: ctx.id(), hash: hashOf(token), principal_id: principal.id, address, ...times })
    .run()
  return token
}

/** Whose password a link's token replaces. */
export function resetPrincipal({ db, now }: Pick<Context, 'db' | 'now'>, token: string): Principal | undefined {
  const valid = and(
    eq(passwordResets.hash, hashOf(token)),
    gt(passwordResets.expires_at, now),
    // A clock that was set back does not prolong it.
    lte(passwordResets.created_at, now + LINK_LIFE_MS),
  )
  const row = db.select().from(passwordResets).where(valid).get()
  const recipient = row && recipientOf(db, row.principal_id)
  if (!recipient || recipient.address !== row.address) return undefined
  const { principal } = recipient
  return isUnchangedSince(row.set_at, principal) ? principal : undefined
}

const isUnchangedSince = (at: number | null, { password_changed_at: now }: Principal): boolean => at === now

/** Ends all links of a principal; inside a change. */
export function endResets({ db }: Pick<Context, 'db'>, principalId: string): void {
  db.delete(passwordResets).where(eq(passwordResets.principal_id, principalId)).run()
}
