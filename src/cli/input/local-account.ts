import { inputNeeded } from '../errors.ts'
import { type Invocation, textOption } from '../invocation.ts'
import type { Client } from '../request/client.ts'
import { ownAccount } from '../request/own-account.ts'
import { resolveId } from '../request/resolve.ts'

/** The account id for a local command: the named one, or the caller's own. */
export async function accountOf(invocation: Invocation, client: Client): Promise<string> {
  const named = textOption(invocation, 'account') ?? process.env['PANEL_ACCOUNT']
  if (named) return resolveId(client, '/accounts', '/accounts', named)
  const own = await ownAccount(client)
  if (own) return own.id
  throw inputNeeded('Input is needed', 'give --account', { id: 'required: The account' })
}
