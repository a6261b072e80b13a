import { and, count, eq, exists, gt, isNull, lt, not } from 'drizzle-orm'
import { Problem } from '../../../contract/problem.ts'
import { networkOf } from '../../../runtime/operations/address.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { settingOf } from '../../../runtime/settings/settings.ts'
import { day, hour } from '../../../shared/time.ts'
import { oauthClients, tokens } from '../tables.ts'
import { OAuthError } from './error.ts'
import { hostOf, nameIn, type OAuthClient, redirectUrisOf } from './metadata.ts'
import { clientInDocument } from './metadata-document.ts'

const MAX_CLIENTS = 1000
const MAX_CLIENTS_PER_HOUR = 10
/** A client without a grant is removed after this time. */
const UNUSED_TTL_MS = day

/** Whether root allows clients of a host; an empty list allows all. */
export function allowsHost({ store }: Runtime, host: string): boolean {
  const allowed = settingOf(store, 'mcp_clients') ?? []
  return allowed.length === 0 || allowed.includes(host)
}

/** Whose word a client is: the host of its metadata document, or that of the address it redirects to. */
export const clientHost = ({ id }: { readonly id: string }, redirectUri: string): string =>
  hostOf(isDocument(id) ? id : redirectUri)

const isDocument = (id: string): boolean => id.startsWith('https://')

/** Registers a client (RFC 7591). All are public: none can keep a secret. */
export function registerClient(
  runtime: Runtime,
  body: Record<string, unknown>,
  address: string | undefined,
): Promise<OAuthClient & { created_at: number }> {
  const redirect_uris = redirectUrisOf(body['redirect_uris'])
  refuseOther(body, 'grant_types', 'authorization_code')
  refuseOther(body, 'response_types', 'code')
  const refused = redirect_uris.map(hostOf).find((host) => !allowsHost(runtime, host))
  if (refused !== undefined)
    throw new OAuthError('invalid_redirect_uri', `This server does not allow clients at ${refused}.`)
  const row = {
    id: runtime.id(),
    name: nameIn(body['client_name'], hostOf(redirect_uris[0]!)),
    redirect_uris,
    network: address === undefined ? null : networkOf(address),
    created_at: runtime.clock.now(),
  }
  return runtime.store.change(() => {
    refuseBeyondLimits(runtime, row)
    runtime.store.db.insert(oauthClients).values(row).run()
    return row
  })
}

function refuseOther(body: Record<string, unknown>, field: string, needed: string): void {
  const list = body[field]
  if (list === undefined || (Array.isArray(list) && list.includes(needed))) return
  throw new OAuthError('invalid_client_metadata', `${field} must include ${needed}.`)
}

function refuseBeyondLimits(
  { store: { db } }: Runtime,
  { network, created_at: now }: typeof oauthClients.$inferSelect,
) {
  const grants = db.select().from(tokens).where(eq(tokens.client_id, oauthClients.id))
  db.delete(oauthClients)
    .where(and(lt(oauthClients.created_at, now - UNUSED_TTL_MS), not(exists(grants))))
    .run()
  const all = db.select({ total: count() }).from(oauthClients).get()!.total
  const own = network === null ? isNull(oauthClients.network) : eq(oauthClients.network, network)
  const recent = and(own, gt(oauthClients.created_at, now - hour))
  const lately = db.select({ total: count() }).from(oauthClients).where(recent).get()!.total
  if (all < MAX_CLIENTS && lately < MAX_CLIENTS_PER_HOUR) return
  throw new Problem('rate-limited', 'Too many clients were registered. Try again in an hour.', undefined, {
    'Retry-After': String(hour / 1000),
  })
}

/** A client that registered; undefined if there is none, or if root does not allow its host. */
export function registeredClient(runtime: Runtime, id: string): OAuthClient | undefined {
  const found = runtime.store.db.select().from(oauthClients).where(eq(oauthClients.id, id)).get()
  return found?.redirect_uris.map(hostOf).every((host) => allowsHost(runtime, host)) ? found : undefined
}

/** A client by its id: registered, or the address of its metadata document, which is fetched. */
export async function findClient(runtime: Runtime, id: string): Promise<OAuthClient | undefined> {
  if (!isDocument(id)) return registeredClient(runtime, id)
  if (!URL.canParse(id) || !allowsHost(runtime, hostOf(id))) return undefined
  return clientInDocument(runtime, id)
}
