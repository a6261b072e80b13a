import { and, count, eq, sql } from 'drizzle-orm'
import { notFound } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { type PasskeyRow, passkeys } from '../tables.ts'

const queries = prepared((db) => ({
  first: db
    .select({ id: passkeys.id })
    .from(passkeys)
    .where(eq(passkeys.principal_id, sql.placeholder('id')))
    .limit(1)
    .prepare(),
}))

export const hasPasskey = (db: Db, principalId: string): boolean =>
  queries(db).first.get({ id: principalId }) !== undefined

/** A user's passkeys, oldest first; on one host name, or on all. */
export const passkeysOf = (db: Db, principalId: string, rpId?: string): PasskeyRow[] =>
  db
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.principal_id, principalId), rpId === undefined ? undefined : eq(passkeys.rp_id, rpId)))
    .orderBy(passkeys.id)
    .all()

export const countPasskeys = (db: Db, principalId: string): number =>
  db.select({ total: count() }).from(passkeys).where(eq(passkeys.principal_id, principalId)).get()!.total

/** The passkey of a credential on a host name. */
export const passkeyWith = (db: Db, rpId: string, credentialId: string): PasskeyRow | undefined =>
  db
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.rp_id, rpId), eq(passkeys.credential_id, credentialId)))
    .get()

/** One of the caller's own, or 404 `not-found`. */
export function findOwnPasskey({ db, actor }: Context, id: string): PasskeyRow {
  const found = passkeysOf(db, actor.id).find((one) => one.id === id)
  if (!found) throw notFound('passkey')
  return found
}

export function deletePasskeysOf(db: Db, principalId: string): void {
  db.delete(passkeys).where(eq(passkeys.principal_id, principalId)).run()
}
