import { inputNeeded } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { checkedId } from '../request/resolve.ts'

/** The first argument, which must be there. */
export function firstArgument({ positionals, command }: Invocation): string {
  const given = positionals[0]
  if (given !== undefined) return given
  const name = command.ownArguments?.[0]?.name ?? 'argument'
  throw inputNeeded('Input is needed', `panel ${command.words.join(' ')} <${name}>`, { [name]: 'required' })
}

/** The id of a job, which must be there. */
export const jobArgument = (invocation: Invocation): string => checkedId('job', '/jobs', firstArgument(invocation))
