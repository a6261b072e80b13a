import type { Client } from './client.ts'

/** An account as its own token knows it. */
export interface OwnAccount {
  readonly id: string
  readonly username: string
  readonly [field: string]: unknown
}

/** The account whose token is in use; where it is no account token, what was refused stays refused. */
export async function ownAccountOf(client: Client, refusal: Error): Promise<OwnAccount> {
  const { body } = await client.call({ method: 'GET', path: '/token' }).catch(() => Promise.reject(refusal))
  const token = body as { account_id?: string; principal_name?: string }
  if (!token.account_id) throw refusal
  return { id: token.account_id, username: token.principal_name ?? '' }
}
