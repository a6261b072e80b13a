import { inputNeeded } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { checkedId } from '../request/resolve.ts'

/** The first argument; required. */
export function firstArgument({ positionals, command }: Invocation): string {
  const provided = positionals[0]
  if (provided !== undefined) return provided
  const name = command.ownArguments?.[0]?.name ?? 'argument'
  throw inputNeeded('Input is needed', `panel ${command.words.join(' ')} <${name}>`, { [name]: 'required' })
}

/** The job id; required. */
export const jobArgument = (invocation: Invocation): string => checkedId('job', '/jobs', firstArgument(invocation))
