import { isId } from '../../contract/common.ts'
import { operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { callOperation } from '../call.ts'
import { ToolFailure } from '../failure.ts'
import { beyond, requestOf } from '../input.ts'
import { MAX_RESULT_BYTES, sizeOf, type ToolResult } from '../result.ts'
import type { McpSession } from '../session.ts'
import { untrustedPaths } from '../untrusted.ts'
import { type Arguments, optionalText } from './arguments.ts'
import { lookUp } from './find.ts'

const MAX_ITEMS = 20
/** Changes that are searched for those of one object. */
const MAX_SEARCHED = 500

type Item = Readonly<Record<string, unknown>>

/** The latest events and changes: of an account, of an object, or of all. */
export async function recent(session: McpSession, args: Arguments): Promise<ToolResult> {
  const account = await accountIn(session, optionalText(args, 'account', 64))
  const object = optionalText(args, 'object', 26)
  const count = object === undefined ? MAX_ITEMS : MAX_SEARCHED
  const [events, changes] = await Promise.all([
    listed(session, account, [operations.listEvents, operations.listEventsForAccount], { order: 'desc', limit: count }),
    listed(session, account, [operations.listAudit, operations.listAuditForAccount], {
      order: 'desc',
      per_page: count,
    }),
  ])
  const answer = fitted({
    events: ofObject(events, (item) => (item['data'] as Item)['object_id'], object),
    changes: ofObject(changes, (item) => item['object_id'], object),
  })
  return { answer, untrusted: untrustedPaths(answer, undefined, 'answer').filter(isForeign) }
}

/** Types of events and ids of operations are the panel's own words. */
const isForeign = (path: string): boolean =>
  !/^answer\.(events\[\*\]\.(type|data\.(object|via|actor\.type))|changes\[\*\]\.(operation|via|actor\.type))$/.test(
    path,
  )

async function accountIn(session: McpSession, name: string | undefined): Promise<string | undefined> {
  const own = session.account
  if (own && name !== undefined && name !== own.id && name !== own.username) throw beyond(own, 'account')
  if (own) return own.id
  if (name === undefined || isId(name)) return name
  const [found] = await lookUp(session, { name, kind: 'account' })
  if (found) return found.id
  throw new ToolFailure('not-found', 'There is no such account.', 'find(name) looks for it.')
}

async function listed(
  session: McpSession,
  account: string | undefined,
  [ofServer, ofAccount]: readonly [Declaration, Declaration],
  query: Item,
): Promise<readonly Item[]> {
  const op = account === undefined ? ofServer : ofAccount
  const input = account === undefined ? query : { id: account, ...query }
  const { items } = (await callOperation(session, op, requestOf(op, input, session))) as { items: readonly Item[] }
  return items
}

const ofObject = (items: readonly Item[], idOf: (item: Item) => unknown, object: string | undefined): Item[] =>
  items.filter((item) => object === undefined || idOf(item) === object).slice(0, MAX_ITEMS)

/** Drops the oldest of the longer list until it fits. */
function fitted(answer: { events: Item[]; changes: Item[] }): typeof answer {
  while (sizeOf(answer) > MAX_RESULT_BYTES * 0.8) {
    const longer = sizeOf(answer.events) > sizeOf(answer.changes) ? answer.events : answer.changes
    longer.pop()
  }
  return answer
}
