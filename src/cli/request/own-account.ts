import type { Client } from './client.ts'
import { sessionPath } from './session.ts'

/** An account as seen by its own token or session. */
export interface OwnAccount {
  readonly id: string
  readonly username: string
  readonly [field: string]: unknown
}

const lookups = new WeakMap<Client, Promise<OwnAccount | undefined>>()

/** The account of the token or session in use; undefined for an administrator's. Cached. */
export function ownAccount(client: Client): Promise<OwnAccount | undefined> {
  const known = lookups.get(client) ?? read(client)
  lookups.set(client, known)
  return known
}

async function read(client: Client): Promise<OwnAccount | undefined> {
  const { session, token } = client.target
  if (session) return session.panel === 'user' ? bySession(client) : undefined
  return token ? byToken(client) : undefined
}

async function bySession(client: Client): Promise<OwnAccount | undefined> {
  const { body } = await client.call({ method: 'GET', path: sessionPath('user', 'session') })
  const { account_id, username = '' } = body as { account_id?: string; username?: string }
  return account_id === undefined ? undefined : { id: account_id, username }
}

async function byToken(client: Client): Promise<OwnAccount | undefined> {
  const { body } = await client.call({ method: 'GET', path: '/token' })
  const { account_id, principal_name = '' } = body as { account_id?: string; principal_name?: string }
  return account_id === undefined ? undefined : { id: account_id, username: principal_name }
}

/** The same after a refusal, which is rethrown if there is no such account. */
export async function ownAccountOf(client: Client, refusal: unknown): Promise<OwnAccount> {
  const own = await ownAccount(client).catch(() => undefined)
  if (!own) throw refusal
  return own
}
