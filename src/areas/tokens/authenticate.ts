import { eq, sql } from 'drizzle-orm'
import { Problem } from '../../contract/problem.ts'
import type { Actor } from '../../runtime/operations/actor.ts'
import { allowedFrom } from '../../runtime/operations/address.ts'
import { unauthenticated } from '../../runtime/operations/authorize.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { accounts } from '../accounts/tables.ts'
import { resellers } from '../resellers/tables.ts'
import { tokenUses } from './last-use.ts'
import { allowsHost } from './oauth/clients.ts'
import { hashSecret, wellFormed } from './secret.ts'
import { type TokenRow, tokens } from './tables.ts'

const queries = prepared((db) => ({
  byHash: db
    .select({
      token: tokens,
      username: accounts.username,
      suspended_at: accounts.suspended_at,
      terminating: accounts.terminating,
      acl: resellers.acl,
      reseller_suspended_at: resellers.suspended_at,
    })
    .from(tokens)
    .leftJoin(accounts, eq(accounts.id, tokens.principal_id))
    .leftJoin(resellers, eq(resellers.account_id, tokens.principal_id))
    .where(eq(tokens.hash, sql.placeholder('hash')))
    .prepare(),
}))

const tokenOf = versionedCache((store, hash) => queries(store.db).byHash.get({ hash }))

/** Whether its time has not ended; nor that of its secret, if a client renews it. */
const isCurrent = ({ expires_at, access_expires_at }: TokenRow, now: number): boolean =>
  (expires_at === null || expires_at > now) && (access_expires_at === null || access_expires_at > now)

/**
 * The actor of a token. 401 if it is unknown or expired, or is for another resource (RFC 8707); 403 `token-ip` from a
 * forbidden address.
 */
export function authenticateToken(
  runtime: Runtime,
  secret: string,
  address: string | undefined,
  resource?: string,
): Actor {
  const found = wellFormed(secret) ? tokenOf(runtime.store, hashSecret(secret)) : undefined
  // One that has expired was not guessed.
  if (!found) runtime.ports.signInFailed(runtime, { service: 'api', address })
  if (!found || !isCurrent(found.token, runtime.clock.now()))
    throw unauthenticated('The token is unknown, expired or revoked.')
  const { token } = found
  if (token.resource !== null && token.resource !== resource)
    throw unauthenticated('The token is for another resource.')
  if (token.client_host !== null && !allowsHost(runtime, token.client_host))
    throw unauthenticated('The client of this token is no longer allowed.')
  if (token.principal_type === 'reseller' && !found.acl)
    throw unauthenticated('The token belongs to an account that is no longer a reseller.')
  if (!allowedFrom(token.allowed_ips, address))
    throw new Problem('token-ip', `The token may not be used from ${address ?? 'here'}.`)
  tokenUses(runtime).record(token.id, address)
  return {
    type: token.principal_type,
    id: token.principal_id,
    name: found.username ?? 'root',
    via: 'api',
    address,
    token: { id: token.id, name: token.name, kind: token.kind, scopes: token.scopes },
    acl: token.principal_type === 'reseller' ? (found.acl ?? []) : undefined,
    client: token.client_name ?? undefined,
    suspended: found.suspended_at !== null || found.reseller_suspended_at !== null,
  }
}
