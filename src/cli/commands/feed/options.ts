import { didYouMean } from '../../../shared/similar.ts'
import { usage } from '../../errors.ts'
import { countOption, momentOption } from '../../input/values.ts'
import { commandLine, type Invocation, textOption } from '../../invocation.ts'
import type { Client } from '../../request/client.ts'
import { ownAccount } from '../../request/own-account.ts'
import { filledPath } from '../../request/plan.ts'
import { resolveId } from '../../request/resolve.ts'
import { operationOf, table } from '../../table.ts'

/** The options of a feed, as typed. */
export interface FeedOptions {
  readonly types?: string
  /** The event number to start after. */
  readonly after?: number
  /** The time to start at. */
  readonly since?: number
  readonly limit: number
}

/** Parses a feed's options; `types` is the name of the one with the types. Rejects invalid ones before sending. */
export function feedOptions(invocation: Invocation, types: string): FeedOptions {
  const [chosen, limit] = [typesOption(invocation, types), textOption(invocation, 'limit')]
  return {
    ...(chosen !== undefined && { types: chosen }),
    ...beginning(invocation),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : countOption('limit', limit),
  }
}

/** The server's feed, or an account's: with `--account`, and for customers. */
export async function feedPath(invocation: Invocation, client: Client): Promise<string> {
  const account = textOption(invocation, 'account')
  if (account !== undefined) return feedOf(await resolveId(client, '/accounts', '/accounts', account))
  if (client.target.session?.panel !== 'user') return operationOf('listEvents').path
  const own = await ownAccount(client)
  return own ? feedOf(own.id) : operationOf('listEvents').path
}

/** The feed of an account by its id. */
export const feedOf = (id: string): string => filledPath(operationOf('listEventsForAccount').path, { id })

/** The types and group patterns in an option, for the query. */
function typesOption(invocation: Invocation, option: string): string | undefined {
  const provided = invocation.option(option) as readonly string[] | undefined
  const types = provided
    ?.flatMap((list) => list.split(','))
    .map((type) => type.trim())
    .filter((type) => type !== '')
  for (const type of types ?? []) checkType(type, option)
  return types && types.length > 0 ? types.join(',') : undefined
}

function checkType(type: string, option: string): void {
  const group = type.endsWith('*') ? type.slice(0, -1) : undefined
  const known = group === undefined ? table.events.includes(type) : table.events.some((one) => one.startsWith(group))
  if (!known)
    throw usage(`--${option}: there is no event ${type}`, didYouMean(type, table.events) ?? 'panel webhooks catalog')
}

/** The starting point; empty means now. */
function beginning(invocation: Invocation): Pick<FeedOptions, 'after' | 'since'> {
  const [after, since] = [textOption(invocation, 'after'), textOption(invocation, 'since')]
  if (after !== undefined && since !== undefined) throw usage('--after and --since cannot be combined')
  if (since !== undefined) return { since: momentOption('since', since) }
  return after === undefined || after === 'now' ? {} : { after: cursorOf(after) }
}

function cursorOf(provided: string): number {
  const after = Number(provided)
  if (!/^\d+$/.test(provided) || !Number.isSafeInteger(after))
    throw usage(`--after must be the number of an event, or \`now\`, not ${provided}`)
  return after
}

const beginnings = ['--after', '--since']

/** The same command line, continuing after a cursor. */
export function resumeLine({ words }: Invocation, cursor: number): string {
  const rest: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (beginnings.includes(word)) at++
    else if (!beginnings.some((option) => word.startsWith(`${option}=`))) rest.push(word)
  }
  return commandLine([...rest, '--after', String(cursor)])
}
