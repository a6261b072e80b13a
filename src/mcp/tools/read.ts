import type { Declaration } from '../../contract/operation.ts'
import { callOperation } from '../call.ts'
import { ToolFailure } from '../failure.ts'
import { type Input, requestOf } from '../input.ts'
import { isRead, operationCalled } from '../operations.ts'
import { MAX_RESULT_BYTES, sizeOf, type ToolResult } from '../result.ts'
import { select } from '../select.ts'
import type { McpSession } from '../session.ts'
import { untrustedPaths } from '../untrusted.ts'
import { type Arguments, inputIn, isObject, optionalText, textIn } from './arguments.ts'
import { MAX_ID_LENGTH } from './describe.ts'

const MAX_SELECT_LENGTH = 10_000
/** What the paths of strangers' text and the rest of the result take. */
const RESERVED_BYTES = 3 * 1024

/** Reads an operation with GET. */
export async function read(session: McpSession, args: Arguments): Promise<ToolResult> {
  const op = operationCalled(textIn(args, 'id', MAX_ID_LENGTH), session)
  if (!isRead(op)) throw new ToolFailure('validation', `${op.id} changes something.`, `Use change("${op.id}", …).`)
  const { cursor, ...input } = withCursor(inputIn(args), args)
  const expression = optionalText(args, 'select', MAX_SELECT_LENGTH)
  const answer = await callOperation(session, op, requestOf(op, input, session))
  return expression === undefined
    ? bounded(op, answer, input, cursor)
    : selected(await select(answer, expression), cursor)
}

interface Cursor {
  /** The page, and how many of its rows came before. */
  readonly page?: number
  readonly skip: number
}

/** `page.row` continues in the middle of a page. */
function withCursor(input: Input, args: Arguments): Input & { cursor: Cursor } {
  const text = optionalText(args, 'cursor', 32)
  if (text === undefined) return { ...input, cursor: { skip: 0 } }
  const [, page, skip] = /^(\d{1,9})\.(\d{1,9})$/.exec(text) ?? []
  if (page === undefined)
    throw new ToolFailure('validation', 'cursor: is not one that read answered', 'Call read without it.')
  return {
    ...input,
    ...(Number(page) > 0 && { page: Number(page) }),
    cursor: { page: Number(page), skip: Number(skip) },
  }
}

/** As many rows as fit, and the cursor for the rest. */
function bounded(op: Declaration, answer: unknown, input: Input, { skip }: Cursor): ToolResult {
  const list = listIn(answer)
  if (!list) return fitting(op, answer, input)
  const [name, all] = list
  const rows = all.slice(skip)
  const head = { ...(answer as object), [name]: [] as unknown[] }
  const count = rowsThatFit(rows, MAX_RESULT_BYTES - RESERVED_BYTES - sizeOf(head))
  if (count === 0 && rows.length > 0) throw tooLarge(op)
  const part = { ...head, [name]: rows.slice(0, count) }
  return { answer: part, ...nextOf(op, answer, input, skip + count, all.length), ...marked(part, op) }
}

const marked = (answer: unknown, op?: Declaration): Pick<ToolResult, 'untrusted'> => ({
  untrusted: untrustedPaths(answer, op?.answer, 'answer'),
})

/** The list of an answer, if it is one. */
function listIn(answer: unknown): readonly [string, readonly unknown[]] | undefined {
  if (!isObject(answer)) return undefined
  const lists = Object.entries(answer).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
  return lists.sort(([, one], [, other]) => sizeOf(other) - sizeOf(one))[0]
}

function rowsThatFit(rows: readonly unknown[], room: number): number {
  let left = room
  let count = 0
  for (const row of rows) {
    left -= sizeOf(row) + 1
    if (left < 0) break
    count++
  }
  return count
}

function nextOf(op: Declaration, answer: unknown, input: Input, done: number, onPage: number): { cursor?: string } {
  const page = Number(input['page'] ?? 1)
  if (done < onPage) return { cursor: `${op.query?.shape['page'] ? page : 0}.${done}` }
  const total = isObject(answer) && typeof answer['total'] === 'number' ? answer['total'] : undefined
  const perPage = Number(input['per_page'] ?? 50)
  return total !== undefined && op.query?.shape['page'] && page * perPage < total ? { cursor: `${page + 1}.0` } : {}
}

function fitting(op: Declaration, answer: unknown, _input: Input): ToolResult {
  if (sizeOf(answer) > MAX_RESULT_BYTES - RESERVED_BYTES) throw tooLarge(op)
  return { answer, ...marked(answer, op) }
}

const tooLarge = (op: Declaration): ToolFailure =>
  new ToolFailure(
    'too-large',
    `The answer of ${op.id} exceeds ${MAX_RESULT_BYTES} bytes.`,
    'Read part of it with select.',
  )

function selected(answer: unknown, { skip }: Cursor): ToolResult {
  if (!Array.isArray(answer)) {
    if (sizeOf(answer) > MAX_RESULT_BYTES - RESERVED_BYTES)
      throw new ToolFailure('too-large', `What select chose exceeds ${MAX_RESULT_BYTES} bytes.`, 'Choose less.')
    return { answer, ...marked(answer) }
  }
  const rows = answer.slice(skip)
  const count = rowsThatFit(rows, MAX_RESULT_BYTES - RESERVED_BYTES)
  const part = rows.slice(0, count)
  const rest = count < rows.length ? { cursor: `0.${skip + count}` } : {}
  return { answer: part, ...rest, ...marked(part) }
}
