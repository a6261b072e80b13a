import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import { type AddPasskey, isTransport, type UsePasskey } from '../../../contract/passkeys.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { type PasskeyRow, passkeys } from '../tables.ts'
import { type ChallengeUse, isChallengeFor, useChallenge } from './challenge.ts'
import { userHandleOf } from './options.ts'
import type { RelyingParty } from './relying-party.ts'

export type Assertion = z.output<typeof UsePasskey>['credential']
type Registration = z.output<typeof AddPasskey>['credential']

/** What a browser answered is right only for these. */
export interface Expected {
  readonly rp: RelyingParty
  readonly use: ChallengeUse
  /** Whether the device must have verified the user, by a PIN or a fingerprint. */
  readonly userVerified: boolean
}

/** A signature that is right; `count` is the authenticator's own. */
export interface Verified {
  readonly id: string
  readonly challenge: string
  readonly count: number
}

/** Few requests need the library. */
const library = () => import('@simplewebauthn/server')

const checks = (ctx: Context, { rp, use, userVerified }: Expected, seen: (challenge: string) => void) => ({
  expectedChallenge(challenge: string) {
    seen(challenge)
    return isChallengeFor(ctx, use, challenge)
  },
  expectedOrigin: [...rp.origins],
  expectedRPID: rp.id,
  requireUserVerification: userVerified,
})

/** Undefined unless the passkey signed a challenge of this server, for this host name and use. */
export async function verifyAssertion(
  ctx: Context,
  passkey: PasskeyRow,
  credential: Assertion,
  expected: Expected,
): Promise<Verified | undefined> {
  const { userHandle, attestationObject: _, ...response } = credential.response
  if (userHandle && userHandle !== userHandleOf(passkey.principal_id)) return undefined
  let challenge = ''
  const checked = checks(ctx, expected, (found) => (challenge = found))
  const { verifyAuthenticationResponse } = await library()
  const publicKey = Buffer.from(passkey.public_key, 'base64url')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...checked,
      response: {
        id: credential.id,
        rawId: credential.rawId,
        type: 'public-key',
        response,
        clientExtensionResults: {},
      },
      // The counter is compared in the change that stores it.
      credential: { id: passkey.credential_id, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
    return verified ? { id: passkey.id, challenge, count: authenticationInfo.newCounter } : undefined
  } catch (error) {
    ctx.runtime.log.debug({ err: error }, 'refused a passkey')
    return undefined
  }
}

/** What a new passkey is stored with; undefined if its registration is not right. */
export async function verifyRegistration(ctx: Context, { id, rawId, response }: Registration, expected: Expected) {
  const { clientDataJSON, attestationObject } = response
  let challenge = ''
  const checked = checks(ctx, expected, (found) => (challenge = found))
  const { verifyRegistrationResponse } = await library()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...checked,
      response: {
        id,
        rawId,
        type: 'public-key',
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
    })
    if (!verified || registrationInfo.credential.id !== id) return undefined
    return {
      challenge,
      credential_id: id,
      public_key: Buffer.from(registrationInfo.credential.publicKey).toString('base64url'),
      counter: registrationInfo.credential.counter,
      transports: [...new Set(response.transports ?? [])].filter(isTransport),
      synced: registrationInfo.credentialBackedUp,
    }
  } catch (error) {
    ctx.runtime.log.debug({ err: error }, 'refused a new passkey')
    return undefined
  }
}

/**
 * Records a use: false if the challenge was used before or the passkey was deleted meanwhile, `copied` if its counter
 * did not rise, which means that somebody has a copy of it. Inside a change.
 */
export function recordUse(ctx: Context, { id, challenge, count }: Verified): boolean | 'copied' {
  const stored = ctx.db.select().from(passkeys).where(eq(passkeys.id, id)).get()
  if (!stored || !useChallenge(ctx, challenge)) return false
  if ((count > 0 || stored.counter > 0) && count <= stored.counter) return 'copied'
  ctx.db.update(passkeys).set({ counter: count, last_used_at: ctx.now }).where(eq(passkeys.id, id)).run()
  return true
}
