import { badAnswer, usage } from '../../errors.ts'
import { askHidden } from '../../input/ask.ts'
import { secretFromOption } from '../../input/secrets.ts'
import type { Invocation } from '../../invocation.ts'
import { createClient } from '../../request/client.ts'
import type { ServerTarget } from '../../target/target.ts'
import { canAsk } from '../../terminal.ts'

export interface SignedIn {
  readonly token: string
  readonly user: string
}

/** The token from the options, undefined without any. */
export async function tokenFromOptions(invocation: Invocation): Promise<string | undefined> {
  const isPrompted = invocation.option('token') === true && canAsk()
  const token = secretFromOption('token', invocation.option) ?? (isPrompted ? await askHidden('API token:') : undefined)
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw usage('this is not an API token', 'API tokens start with pnl_')
  return token
}

/** Asks the server whose token it is. */
export async function signInByToken(target: ServerTarget, token: string, debug: boolean): Promise<SignedIn> {
  const { body } = await createClient({ ...target, token }, { debug }).call({ method: 'GET', path: '/token' })
  const user = (body as { principal_name?: unknown } | null)?.principal_name
  if (typeof user !== 'string') throw badAnswer(target)
  return { token, user }
}
