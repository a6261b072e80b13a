import { createHash, randomInt } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import { sameSecret } from '../../shared/same-secret.ts'
import type { Db } from '../../store/open.ts'
import { recoveryCodes } from './tables.ts'

export const recoveryPurpose = 'recovery code'
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const HOW_MANY = 10

const codesOf = (db: Db, id: string): readonly string[] =>
  db.select().from(recoveryCodes).where(eq(recoveryCodes.principal_id, id)).get()?.codes ?? []

export const hasRecoveryCodes = (db: Db, id: string): boolean => codesOf(db, id).length > 0

/** Replaces them; the new ones are shown only once. Inside a change. */
export function issueRecoveryCodes(ctx: Context, principal_id: string): string[] {
  const issued = Array.from({ length: HOW_MANY }, recoveryCode)
  const codes = issued.map((each) => sealCode(ctx, each))
  ctx.db
    .insert(recoveryCodes)
    .values({ principal_id, codes })
    .onConflictDoUpdate({ target: recoveryCodes.principal_id, set: { codes } })
    .run()
  return issued
}

/** Accepts a code once: false if it is wrong or used. Inside a change. */
export function takeRecoveryCode(ctx: Context, principalId: string, code: string): boolean {
  const stored = codesOf(ctx.db, principalId)
  const print = printOf(code.toUpperCase())
  const codes = stored.filter((each) => !sameSecret(ctx.runtime.unseal(recoveryPurpose, each), print))
  if (codes.length === stored.length) return false
  ctx.db.update(recoveryCodes).set({ codes }).where(eq(recoveryCodes.principal_id, principalId)).run()
  return true
}

export function deleteRecoveryCodes(db: Db, principalId: string): void {
  db.delete(recoveryCodes).where(eq(recoveryCodes.principal_id, principalId)).run()
}

const printOf = (code: string): string => createHash('sha256').update(code).digest('hex')

/** Encrypted, so that a code's hash survives a rotation of the server's key. */
const sealCode = (ctx: Context, code: string): string => ctx.runtime.seal(recoveryPurpose, printOf(code))

function recoveryCode(): string {
  const half = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('')
  return `${half()}-${half()}`
}
