import { createHash, randomBytes } from 'node:crypto'
import { lte } from 'drizzle-orm'
import { passkeyTimeout } from '../../../contract/passkeys.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { sameSecret } from '../../../shared/same-secret.ts'
import { usedChallenges } from '../tables.ts'

/** What a challenge is for, and the session that asked for it. Signing in with a passkey alone has neither: its owner decides the panel. */
export interface ChallengeUse {
  readonly purpose: 'add' | 'sign in' | 'confirm'
  readonly panel?: 'admin' | 'user' | undefined
  readonly session?: string | undefined
}

const EXPIRY_BYTES = 6
const RANDOM_BYTES = 16
const HEAD_BYTES = EXPIRY_BYTES + RANDOM_BYTES

/** Signed instead of stored: anyone may ask for one. */
export function newChallenge({ runtime }: Context, use: ChallengeUse): string {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(runtime.clock.now() + passkeyTimeout, 0, EXPIRY_BYTES)
  randomBytes(RANDOM_BYTES).copy(head, EXPIRY_BYTES)
  return Buffer.concat([head, Buffer.from(signatureOf(runtime, use, head), 'hex')]).toString('base64url')
}

/** Whether this server made it for that use, and it has not expired. */
export function isChallengeFor({ runtime }: Context, use: ChallengeUse, challenge: string): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length <= HEAD_BYTES) return false
  const head = bytes.subarray(0, HEAD_BYTES)
  const expiry = head.readUIntBE(0, EXPIRY_BYTES)
  const now = runtime.clock.now()
  if (expiry < now || expiry > now + passkeyTimeout) return false
  return sameSecret(bytes.subarray(HEAD_BYTES).toString('hex'), signatureOf(runtime, use, head))
}

const signatureOf = (runtime: Context['runtime'], { purpose, panel, session }: ChallengeUse, head: Buffer): string =>
  runtime.fingerprint('passkey challenge', [purpose, panel ?? '', session ?? '', head.toString('hex')].join(' '))

/** False if it was used before. Inside a change. */
export function useChallenge({ db, now }: Context, challenge: string): boolean {
  db.delete(usedChallenges).where(lte(usedChallenges.expires_at, now)).run()
  const hash = createHash('sha256').update(challenge).digest('hex')
  const row = { hash, expires_at: now + 2 * passkeyTimeout }
  return db.insert(usedChallenges).values(row).onConflictDoNothing().run().changes > 0
}
