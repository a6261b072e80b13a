import { exit } from '../../../shared/exit.ts'
import { localNode } from '../../../shared/node-name.ts'
import { CliError } from '../../errors.ts'
import { relative } from '../../output/time.ts'
import type { Client } from '../../request/client.ts'
import { allOf } from './all.ts'
import { bad, type Check, ok, warn } from './check.ts'

const soon = 14 * 86_400_000

interface Node {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly reason?: string
  readonly certificate_expires_at?: number
}

/** Checks the other nodes, if there are any. */
export async function nodesCheck(client: Client): Promise<Check[]> {
  const found = await allOf<Node>(client, '/nodes').catch(unknownThere)
  const nodes = found.filter(isOther)
  if (nodes.length === 0) return []
  const problems = nodes.flatMap((node) => problemOf(node) ?? [])
  return problems.length > 0 ? problems : [ok('nodes', 'Every node is connected, and no certificate expires soon.')]
}

/** The server is too old to know nodes. */
function unknownThere(error: unknown): [] {
  if (!(error instanceof CliError) || error.exit !== exit.notFound) throw error
  return []
}

const isOther = ({ name, state }: Node): boolean => name !== localNode && state !== 'retired'

function problemOf({ name, state, reason, certificate_expires_at: ends }: Node): Check | undefined {
  if (state === 'joining') return warn('nodes', `Node ${name} has not joined yet.`, `panel nodes renew-join ${name}`)
  if (state === 'down' || state === 'incompatible')
    return bad('nodes', reason ?? `Node ${name} is ${state}.`, `panel nodes show ${name}`)
  if (reason !== undefined) return warn('nodes', reason, `panel nodes show ${name}`)
  if (ends === undefined || ends > Date.now() + soon) return undefined
  const message = `The certificate of node ${name} expires ${relative(ends, Date.now())} and was not renewed.`
  return warn('nodes', message, `panel nodes renew-join ${name}`)
}
