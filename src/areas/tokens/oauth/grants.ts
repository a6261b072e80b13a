import { hash, randomBytes } from 'node:crypto'
import { and, desc, eq, isNotNull, isNull, lt, notInArray, or } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import { sameSecret } from '../../../shared/same-secret.ts'
import { day, hour } from '../../../shared/time.ts'
import { hashSecret, newSecret, prefixOf } from '../secret.ts'
import { oauthCodes, oauthUsedRefreshes, type TokenRow, tokens } from '../tables.ts'
import { allowsHost, clientHost } from './clients.ts'
import { OAuthError } from './error.ts'
import type { OAuthClient } from './metadata.ts'

const CODE_TTL_MS = 60_000
const ACCESS_TTL_MS = hour
/** Used codes stay known for this time, so that a second use is noticed. */
const USED_CODE_TTL_MS = day
/** Used refresh tokens of a grant that stay known. */
const MAX_USED_REFRESHES = 1000

export interface NewGrant {
  /** The id of the token that the person's consent created. */
  readonly token: string
  readonly client: OAuthClient
  readonly redirect_uri: string
  readonly challenge: string
  readonly resource: string
}

const newValue = (prefix: string): string => prefix + randomBytes(32).toString('base64url')

/** Makes a token the grant of a client, and returns the code that the client exchanges for it. */
export function startGrant(runtime: Runtime, { token, client, ...grant }: NewGrant): Promise<string> {
  const code = newValue('pnc_')
  const now = runtime.clock.now()
  const { db } = runtime.store
  return runtime.store.change(() => {
    forgetOld(runtime)
    const { resource, redirect_uri } = grant
    const host = clientHost(client, redirect_uri)
    const named = { client_id: client.id, client_name: client.name, client_host: host, resource }
    // No secret leads to it until the code is exchanged.
    const unusable = { hash: hashSecret(newSecret()), access_expires_at: now, refresh_hash: null }
    db.update(tokens)
      .set({ ...named, ...unusable })
      .where(eq(tokens.id, token))
      .run()
    db.insert(oauthCodes)
      .values({
        ...grant,
        hash: hashSecret(code),
        token_id: token,
        client_id: client.id,
        expires_at: now + CODE_TTL_MS,
        used: false,
      })
      .run()
    return code
  })
}

/** Expired codes, and grants whose client never fetched its tokens. */
function forgetOld({ store: { db }, clock }: Runtime): void {
  const now = clock.now()
  const abandoned = lt(tokens.access_expires_at, now - CODE_TTL_MS)
  db.delete(oauthCodes)
    .where(lt(oauthCodes.expires_at, now - USED_CODE_TTL_MS))
    .run()
  db.delete(tokens)
    .where(and(isNotNull(tokens.client_id), isNull(tokens.refresh_hash), abandoned))
    .run()
}

type Form = URLSearchParams

/** A parameter must not be repeated (RFC 6749, 3.2). */
function optional(form: Form, name: string): string | undefined {
  const values = form.getAll(name)
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} must not be repeated.`)
  return values[0] === '' ? undefined : values[0]
}

function required(form: Form, name: string): string {
  const value = optional(form, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required.`)
  return value
}

const invalidGrant = (): OAuthError =>
  new OAuthError('invalid_grant', 'The code or token is unknown, used, expired or revoked.')

type Exchanged = Readonly<Record<string, string | number>>

/** Exchanges a code or a refresh token for new tokens (RFC 6749). */
export async function exchange(runtime: Runtime, form: Form): Promise<Exchanged> {
  const type = required(form, 'grant_type')
  if (type !== 'authorization_code' && type !== 'refresh_token')
    throw new OAuthError('unsupported_grant_type', 'Use authorization_code or refresh_token.')
  const act = type === 'refresh_token' ? refresh : redeem
  // A refusal may revoke the grant: it is returned, so that the change is kept.
  const made = await runtime.store.change(() => act(runtime, form))
  if (made instanceof OAuthError) throw made
  return made
}

function redeem(runtime: Runtime, form: Form): Exchanged | OAuthError {
  const { db } = runtime.store
  const code = hashSecret(required(form, 'code'))
  const client = required(form, 'client_id')
  const redirectUri = required(form, 'redirect_uri')
  const verifier = required(form, 'code_verifier')
  const row = db.select().from(oauthCodes).where(eq(oauthCodes.hash, code)).get()
  if (!row) return invalidGrant()
  // Somebody has a copy of a used code: what it led to is revoked (RFC 6749, 4.1.2).
  if (row.used) return revoked(runtime, row.token_id, 'a code was used twice')
  const isSame =
    row.client_id === client &&
    row.redirect_uri === redirectUri &&
    /^[A-Za-z0-9\-._~]{43,128}$/.test(verifier) &&
    sameSecret(hash('sha256', verifier, 'base64url'), row.challenge)
  if (!isSame || row.expires_at <= runtime.clock.now()) return invalidGrant()
  const other = otherResource(form, row.resource)
  if (other) return other
  db.update(oauthCodes).set({ used: true }).where(eq(oauthCodes.hash, code)).run()
  return issue(runtime, row.token_id)
}

function refresh(runtime: Runtime, form: Form): Exchanged | OAuthError {
  const { db } = runtime.store
  const hashed = hashSecret(required(form, 'refresh_token'))
  const client = required(form, 'client_id')
  const used = db.select().from(oauthUsedRefreshes).where(eq(oauthUsedRefreshes.hash, hashed)).get()
  if (used) return revoked(runtime, used.token_id, 'a refresh token was used twice')
  const row = db.select().from(tokens).where(eq(tokens.refresh_hash, hashed)).get()
  if (!row || row.client_id !== client) return invalidGrant()
  const other = otherResource(form, row.resource) ?? widerScope(form, row.scopes)
  if (other) return other
  const answer = issue(runtime, row.id)
  if (!(answer instanceof OAuthError)) rememberUsed(runtime, hashed, row.id)
  return answer
}

function otherResource(form: Form, resource: string | null): OAuthError | undefined {
  const requested = optional(form, 'resource')
  if (requested === undefined || requested === resource) return undefined
  return new OAuthError('invalid_target', 'The grant is for another resource.')
}

function widerScope(form: Form, scopes: readonly string[]): OAuthError | undefined {
  const requested = optional(form, 'scope')?.split(' ') ?? []
  if (requested.every((one) => scopes.includes(one))) return undefined
  return new OAuthError('invalid_scope', 'A refresh must not widen the scopes.')
}

function rememberUsed({ store: { db }, clock }: Runtime, hashed: string, token_id: string): void {
  db.insert(oauthUsedRefreshes).values({ hash: hashed, token_id, used_at: clock.now() }).run()
  const own = eq(oauthUsedRefreshes.token_id, token_id)
  const newest = db
    .select({ hash: oauthUsedRefreshes.hash })
    .from(oauthUsedRefreshes)
    .where(own)
    .orderBy(desc(oauthUsedRefreshes.used_at))
    .limit(MAX_USED_REFRESHES)
  db.delete(oauthUsedRefreshes)
    .where(and(own, notInArray(oauthUsedRefreshes.hash, newest)))
    .run()
}

function revoked({ store: { db }, log }: Runtime, token: string, why: string): OAuthError {
  const { changes } = db.delete(tokens).where(eq(tokens.id, token)).run()
  if (changes > 0) log.warn({ token }, `revoked the grant of a client: ${why}`)
  return invalidGrant()
}

const isOver = ({ clock }: Runtime, { expires_at }: TokenRow): boolean =>
  expires_at !== null && expires_at <= clock.now()

function issue(runtime: Runtime, id: string): Exchanged | OAuthError {
  const { db } = runtime.store
  const row = db.select().from(tokens).where(eq(tokens.id, id)).get()
  if (!row || isOver(runtime, row) || !allowsHost(runtime, row.client_host ?? '')) return invalidGrant()
  const [secret, refreshToken] = [newSecret(), newValue('pnr_')]
  const now = runtime.clock.now()
  const access_expires_at = Math.min(now + ACCESS_TTL_MS, row.expires_at ?? Number.POSITIVE_INFINITY)
  db.update(tokens)
    .set({
      hash: hashSecret(secret),
      prefix: prefixOf(secret),
      access_expires_at,
      refresh_hash: hashSecret(refreshToken),
    })
    .where(eq(tokens.id, id))
    .run()
  return {
    access_token: secret,
    token_type: 'Bearer',
    expires_in: Math.floor((access_expires_at - now) / 1000),
    refresh_token: refreshToken,
    scope: row.scopes.join(' '),
  }
}

/** Revokes the grant of an access or refresh token (RFC 7009). An unknown token is not an error. */
export async function revoke({ store }: Runtime, form: Form): Promise<void> {
  const hashed = hashSecret(required(form, 'token'))
  const client = required(form, 'client_id')
  await store.change(() => {
    const isEither = or(eq(tokens.hash, hashed), eq(tokens.refresh_hash, hashed))
    store.db
      .delete(tokens)
      .where(and(eq(tokens.client_id, client), isEither))
      .run()
  })
}
