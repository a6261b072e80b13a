import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { deletePasskeysOf, hasPasskey } from './passkeys/store.ts'
import { deleteRecoveryCodes, takeRecoveryCode } from './recovery-codes.ts'
import { disable, takeTotp, totpEnabled } from './totp.ts'

/** Whether signing in takes more than the password. */
export const twoFactorEnabled = (db: Db, principalId: string): boolean =>
  totpEnabled(db, principalId) || hasPasskey(db, principalId)

/** Accepts a code of the authenticator or a recovery code once: false if it is wrong or used. Inside a change. */
export const takeCode = (ctx: Context, principalId: string, code: string): boolean =>
  takeTotp(ctx, principalId, code) || takeRecoveryCode(ctx, principalId, code)

/** Recovery codes replace a second factor: they end with the last one. Inside a change. */
export function dropUnusedRecoveryCodes(db: Db, principalId: string): void {
  if (!twoFactorEnabled(db, principalId)) deleteRecoveryCodes(db, principalId)
}

/** Inside a change. */
export function deleteSecondFactors(db: Db, principalId: string): void {
  disable(db, principalId)
  deletePasskeysOf(db, principalId)
  deleteRecoveryCodes(db, principalId)
}
