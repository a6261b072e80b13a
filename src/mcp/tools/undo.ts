import { operations } from '../../contract/index.ts'
import { type Declaration, isOfAccount } from '../../contract/operation.ts'
import type { Change } from '../backend.ts'
import { callOperation } from '../call.ts'
import { ToolFailure } from '../failure.ts'
import { requestOf } from '../input.ts'
import { type Inverse, inverseOf, rivalsOf, showing } from '../inverse.ts'
import { operationCalled } from '../operations.ts'
import type { ToolResult } from '../result.ts'
import type { McpSession } from '../session.ts'
import { type Arguments, isObject, optionalText, textIn } from './arguments.ts'
import { carryOut, refuseReadOnly } from './change.ts'

interface Undoable {
  readonly change: Change
  readonly inverse: Inverse
}

/** Undoes a change, which is a change like others: a dry run first, then with its `confirm`. */
export async function undo(session: McpSession, args: Arguments): Promise<ToolResult> {
  refuseReadOnly(session)
  const id = textIn(args, 'change', 26)
  const { change, inverse } = session.changes.inverseOf(id) ?? (await ofAudit(session, id))
  const op = operationCalled(inverse.operation, session)
  await refuseChanged(session, op, inverse)
  return carryOut(session, {
    op,
    input: inverse.input,
    reason: optionalText(args, 'reason', 255) ?? `Undo of ${change.operation}`,
    confirm: optionalText(args, 'confirm', 64),
    undoes: { change: change.id, operations: rivalsOf(change.operation) },
  })
}

/** 48 bits of milliseconds: the first ten characters of a ULID. */
const timeOf = (id: string): number =>
  Array.from(id.slice(0, 10)).reduce((sum, one) => sum * 32 + '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(one), 0)

const MAX_SEARCHED = 500
/** The id is made a moment before the time is noted. */
const TOLERANCE_MS = 1000

interface Entry extends Omit<Change, 'account'> {
  readonly account_id?: string
  readonly username?: string
}

/** A change of an earlier session, from the audit trail. */
async function ofAudit(session: McpSession, id: string): Promise<Undoable> {
  const op = session.account ? operations.listAuditForAccount : operations.listAudit
  const range = { since: timeOf(id) - TOLERANCE_MS, until: timeOf(id) + TOLERANCE_MS, per_page: MAX_SEARCHED }
  const { items } = (await callOperation(session, op, requestOf(op, range, session))) as { items: readonly Entry[] }
  const entry = items.find((one) => one.id === id)
  if (!entry) throw new ToolFailure('not-found', 'There is no such change.', 'recent(account) lists changes.')
  const { account_id, username, ...rest } = entry
  const change: Change = { ...rest, ...(account_id && { account: { id: account_id, ...(username && { username }) } }) }
  const inverse = inverseOf(change)
  if (!inverse) throw new ToolFailure('not-undoable', `${entry.operation} cannot be undone.`, 'Change it by hand.')
  return { change, inverse }
}

/** 409 `changed` if the object no longer has the values that the change gave it. */
async function refuseChanged(session: McpSession, op: Declaration, { expects, input }: Inverse): Promise<void> {
  const reading = expects && showing(op)
  if (!reading) return
  const path = Object.fromEntries(Object.entries(input).filter(([name]) => op.path.includes(`{${name}}`)))
  const pathInput = session.account && isOfAccount(op) ? { ...path, id: session.account.id } : path
  const current = await callOperation(session, reading, requestOf(reading, pathInput, session))
  if (!isObject(current)) return
  const differing = Object.keys(expects).filter(
    (name) => Object.hasOwn(current, name) && !isSame(current[name], expects[name]),
  )
  if (differing.length > 0)
    throw new ToolFailure('changed', `${differing.join(', ')} changed since.`, 'Read the object before you decide.')
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
