import { operations } from '../../contract/index.ts'
import { callOperation } from '../call.ts'
import { requestOf } from '../input.ts'
import type { ToolResult } from '../result.ts'
import type { McpSession } from '../session.ts'
import { untrustedPaths } from '../untrusted.ts'
import { type Arguments, textIn } from './arguments.ts'

const MAX_NAME_LENGTH = 320
const MAX_FOUND = 50

export interface Found {
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly account_id?: string
  readonly username?: string
}

/** Objects with a name, or else those whose names begin with it. */
export async function find(session: McpSession, args: Arguments): Promise<ToolResult> {
  const name = textIn(args, 'name', MAX_NAME_LENGTH).trim()
  const exact = await lookUp(session, { name })
  const items = exact.length > 0 || name.length < 2 ? exact : await lookUp(session, { prefix: name })
  const answer = { items: items.slice(0, MAX_FOUND) }
  return {
    answer,
    ...(items.length === 0 && { next: 'Nothing has that name. A list operation shows what there is.' }),
    untrusted: untrustedPaths(answer, operations.lookup.answer, 'answer'),
  }
}

export async function lookUp(session: McpSession, query: Readonly<Record<string, string>>): Promise<readonly Found[]> {
  const op = session.account ? operations.lookupForAccount : operations.lookup
  const { items } = (await callOperation(session, op, requestOf(op, query, session))) as { items: readonly Found[] }
  return items
}
