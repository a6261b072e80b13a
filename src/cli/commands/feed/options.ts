import { usage } from '../../errors.ts'
import { countOption } from '../../input/values.ts'
import { commandLine, type Invocation, textOption } from '../../invocation.ts'
import type { Client } from '../../request/client.ts'
import { filledPath } from '../../request/plan.ts'
import { resolveId } from '../../request/resolve.ts'
import { didYouMean } from '../../similar.ts'
import { operationOf, table } from '../../table.ts'

/** What a feed is asked for, as it was typed. */
export interface FeedOptions {
  readonly types?: string
  readonly since?: number
  readonly limit: number
}

/** The options of a feed; `types` is the name of the one with the types. Wrong ones are refused before anything is sent. */
export function feedOptions(invocation: Invocation, types: string): FeedOptions {
  const [chosen, since, limit] = [
    typesOption(invocation, types),
    sinceOption(invocation),
    textOption(invocation, 'limit'),
  ]
  return {
    ...(chosen !== undefined && { types: chosen }),
    ...(since !== undefined && { since }),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : countOption('limit', limit),
  }
}

/** The feed of the server, or with `--account` of an account. */
export async function feedPath(invocation: Invocation, client: Client): Promise<string> {
  const account = textOption(invocation, 'account')
  if (account === undefined) return operationOf('listEvents').path
  const id = await resolveId(client, '/accounts', '/accounts', account)
  return filledPath(operationOf('listEventsForAccount').path, { id })
}

/** The types and group patterns an option names, for the query. */
function typesOption(invocation: Invocation, option: string): string | undefined {
  const given = invocation.option(option) as readonly string[] | undefined
  const types = given
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

/** The cursor of `--since`; nothing means now. */
function sinceOption(invocation: Invocation): number | undefined {
  const given = textOption(invocation, 'since')
  if (given === undefined || given === 'now') return undefined
  const since = Number(given)
  if (!/^\d+$/.test(given) || !Number.isSafeInteger(since))
    throw usage(`--since must be the number of an event, or \`now\`, not ${given}`)
  return since
}

/** The same command line, to go on after a cursor. */
export function resumeLine({ words }: Invocation, cursor: number): string {
  const rest: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--since') at++
    else if (!word.startsWith('--since=')) rest.push(word)
  }
  return commandLine([...rest, '--since', String(cursor)])
}
