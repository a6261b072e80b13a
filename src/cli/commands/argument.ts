import { exit } from '../../shared/exit.ts'
import { CliError, inputNeeded } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import type { Client } from '../request/client.ts'
import { ownAccountOf } from '../request/own-account.ts'
import { resolveListed } from '../request/resolve.ts'

/** The first argument; required. */
export function firstArgument({ positionals, command }: Invocation): string {
  const provided = positionals[0]
  if (provided !== undefined) return provided
  const name = command.ownArguments?.[0]?.name ?? 'argument'
  throw inputNeeded('Input is needed', `panel ${command.words.join(' ')} <${name}>`, { [name]: 'required' })
}

/** The job's id, or how it begins; required. An account's token finds it among its own. */
export async function jobArgument(invocation: Invocation, client: Client): Promise<string> {
  const typed = firstArgument(invocation)
  const find = (path: string): Promise<string> => resolveListed(client, 'job', path, typed)
  return find('/jobs').catch(async (error: unknown) => {
    if (!(error instanceof CliError) || error.exit !== exit.auth) throw error
    return find(`/accounts/${(await ownAccountOf(client, error)).id}/jobs`)
  })
}
