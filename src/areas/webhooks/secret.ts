import { randomBytes } from 'node:crypto'
import type { Runtime } from '../../runtime/runtime.ts'
import type { SigningSecrets } from '../../shared/signature.ts'
import type { WebhookSecrets } from './claim.sql.ts'

export const purpose = 'webhook secret'

/** A new signing secret: `whsec_` and 32 random bytes in base64. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export const sealSecret = (runtime: Runtime, secret: string): string => runtime.seal(purpose, secret)

/** The secrets to sign with now. */
export function secretsOf(runtime: Runtime, { secret, former_secret, former_until }: WebhookSecrets): SigningSecrets {
  const inGrace = former_secret !== null && former_until !== null && former_until > runtime.clock.now()
  return { secret: opened(runtime, secret), ...(inGrace ? { former: opened(runtime, former_secret) } : {}) }
}

const opens = new WeakMap<Runtime, Map<string, string>>()
const MAX_CACHED_SECRETS = 1000

/** Decrypting costs more than signing: caches the last thousand. */
function opened(runtime: Runtime, sealed: string): string {
  const cache = opens.get(runtime) ?? new Map<string, string>()
  opens.set(runtime, cache)
  const known = cache.get(sealed)
  if (known !== undefined) return known
  if (cache.size >= MAX_CACHED_SECRETS) cache.clear()
  const secret = runtime.unseal(purpose, sealed)
  cache.set(sealed, secret)
  return secret
}
