import { passkeyTimeout } from '../../../contract/passkeys.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Principal } from '../principal.ts'
import type { PasskeyRow } from '../tables.ts'
import { type ChallengeUse, newChallenge } from './challenge.ts'
import type { RelyingParty } from './relying-party.ts'

/** Ed25519, ECDSA with P-256, and RSA: what all authenticators have one of. */
const algorithms = [-8, -7, -257]

/** Says which user a passkey belongs to. */
export const userHandleOf = (principalId: string): string => Buffer.from(principalId).toString('base64url')

const descriptorOf = ({ credential_id, transports }: PasskeyRow) => ({
  id: credential_id,
  type: 'public-key' as const,
  ...(transports.length > 0 && { transports }),
})

/** What navigator.credentials.create takes. */
export const creationOptions = (
  ctx: Context,
  rp: RelyingParty,
  { id, name }: Principal,
  use: ChallengeUse,
  existing: readonly PasskeyRow[],
) => ({
  challenge: newChallenge(ctx, use),
  rp: { id: rp.id, name: ctx.runtime.hostname },
  user: { id: userHandleOf(id), name, displayName: name },
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
  timeout: passkeyTimeout,
  attestation: 'none' as const,
  authenticatorSelection: {
    residentKey: 'preferred' as const,
    requireResidentKey: false as const,
    userVerification: 'preferred' as const,
  },
  excludeCredentials: existing.map(descriptorOf),
})

/** What navigator.credentials.get takes; of any passkey without a list. */
export const requestOptions = (
  ctx: Context,
  { id }: RelyingParty,
  use: ChallengeUse,
  userVerification: 'required' | 'preferred',
  allowed: readonly PasskeyRow[] = [],
) => ({
  challenge: newChallenge(ctx, use),
  rpId: id,
  timeout: passkeyTimeout,
  userVerification,
  allowCredentials: allowed.map(descriptorOf),
})
