import { CliError, withHint } from '../errors.ts'
import type { Client } from './client.ts'

/** An account as its own token knows it. */
export interface OwnAccount {
  readonly id: string
  readonly username: string
  readonly [field: string]: unknown
}

/** A session does not tell the id of its account. */
const nameless = ({ target }: Client, refusal: Error): Error =>
  target.session?.panel === 'user' && refusal instanceof CliError
    ? withHint(
        refusal,
        "a customer's session cannot look names up: give the id of the account, or sign in with a token",
      )
    : refusal

/** The account whose token is in use; where it is no account token, what was refused stays refused. */
export async function ownAccountOf(client: Client, refusal: Error): Promise<OwnAccount> {
  if (client.target.session) throw nameless(client, refusal)
  const { body } = await client.call({ method: 'GET', path: '/token' }).catch(() => Promise.reject(refusal))
  const token = body as { account_id?: string; principal_name?: string }
  if (!token.account_id) throw refusal
  return { id: token.account_id, username: token.principal_name ?? '' }
}
