import type { SavedSession } from '../target/target.ts'
import type { Client } from './client.ts'
import { sessionPath } from './session.ts'

/** An account as its own token knows it. */
export interface OwnAccount {
  readonly id: string
  readonly username: string
  readonly [field: string]: unknown
}

/** The account whose token or session is in use; where it is of no account, what was refused stays refused. */
export async function ownAccountOf(client: Client, refusal: Error): Promise<OwnAccount> {
  const { session } = client.target
  if (session) return ofSession(client, session.panel, refusal)
  const { body } = await client.call({ method: 'GET', path: '/token' }).catch(() => Promise.reject(refusal))
  const token = body as { account_id?: string; principal_name?: string }
  if (!token.account_id) throw refusal
  return { id: token.account_id, username: token.principal_name ?? '' }
}

async function ofSession(client: Client, panel: SavedSession['panel'], refusal: Error): Promise<OwnAccount> {
  const path = sessionPath(panel, 'session')
  const { body } = await client.call({ method: 'GET', path }).catch(() => Promise.reject(refusal))
  const { account_id: id, username } = body as { account_id?: string; username?: string }
  if (!id) throw refusal
  return { id, username: username ?? '' }
}
