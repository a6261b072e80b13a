import { eq, sql } from 'drizzle-orm'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { issueRecoveryCodes } from './recovery-codes.ts'
import { twoFactor } from './tables.ts'

export const totpPurpose = 'totp'
const step = 30

const queries = prepared((db) => ({
  of: db
    .select()
    .from(twoFactor)
    .where(eq(twoFactor.principal_id, sql.placeholder('id')))
    .prepare(),
}))

const rowOf = (db: Db, id: string) => queries(db).of.get({ id })

/** Whether an authenticator app is set up. */
export const totpEnabled = (db: Db, principalId: string): boolean =>
  (rowOf(db, principalId)?.enabled_at ?? null) !== null

/** Creates a secret, active once a first code is sent. 409 `exists` while two-factor sign-in is on. */
export function setUp(ctx: Context, principal: { id: string; name: string }): { secret: string; uri: string } {
  refuseWhileOn(ctx, principal.id)
  const secret = generateSecret()
  const values = { secret: ctx.runtime.seal(totpPurpose, secret), enabled_at: null, last_step: 0 }
  ctx.db
    .insert(twoFactor)
    .values({ principal_id: principal.id, ...values })
    .onConflictDoUpdate({ target: twoFactor.principal_id, set: values })
    .run()
  return { secret, uri: generateURI({ issuer: ctx.runtime.hostname, label: principal.name, secret }) }
}

function refuseWhileOn(ctx: Context, id: string): void {
  if (totpEnabled(ctx.db, id)) throw new Problem('exists', 'Two-factor sign-in is already on; turn it off first.')
}

/** Turns it on with a first code; returns the recovery codes, which are shown only once. */
export function enable(ctx: Context, principalId: string, code: string): string[] {
  refuseWhileOn(ctx, principalId)
  const taken = takenStep(ctx, principalId, code)
  if (taken === undefined)
    throw invalid('code', 'is not correct; set up two-factor sign-in and send the code shown now')
  const enabled = { enabled_at: ctx.now, last_step: taken }
  ctx.db.update(twoFactor).set(enabled).where(eq(twoFactor.principal_id, principalId)).run()
  return issueRecoveryCodes(ctx, principalId)
}

export function disable(db: Db, principalId: string): void {
  db.delete(twoFactor).where(eq(twoFactor.principal_id, principalId)).run()
}

/** Accepts a code once: false if it is wrong or used. Inside a change. */
export function takeTotp(ctx: Context, principalId: string, code: string): boolean {
  const taken = takenStep(ctx, principalId, code)
  if (taken === undefined) return false
  ctx.db.update(twoFactor).set({ last_step: taken }).where(eq(twoFactor.principal_id, principalId)).run()
  return true
}

/** The time step a code is valid for, with one step of drift, unless that or a later one was used. */
function takenStep(ctx: Context, principalId: string, code: string): number | undefined {
  const row = rowOf(ctx.db, principalId)
  if (!row || !/^\d{6}$/.test(code)) return undefined
  const epoch = Math.floor(ctx.now / 1000)
  const result = verifySync({
    secret: ctx.runtime.unseal(totpPurpose, row.secret),
    token: code,
    epoch,
    period: step,
    epochTolerance: step,
  })
  if (!result.valid) return undefined
  const at = Math.floor(epoch / step) + result.delta
  return at > row.last_step ? at : undefined
}
