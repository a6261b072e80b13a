import { operationList, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import type { Change } from './backend.ts'
import { isRead } from './operations.ts'

/** The call that undoes a change, and the values that must still be there. */
export interface Inverse {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  /** Fields of the object as the change left them. */
  readonly expects?: Readonly<Record<string, unknown>>
}

/** Pairs of operations of one object, of which each undoes the other. */
const opposites: readonly (readonly [string, string])[] = [
  ['suspendAccount', 'unsuspendAccount'],
  ['suspendReseller', 'unsuspendReseller'],
  ['startApp', 'stopApp'],
]

const oppositeOf = (id: string): string | undefined =>
  opposites.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]).find(([one]) => one === id)?.[1]

const declared: Readonly<Record<string, Declaration>> = operations

/** Operations after which a change can no longer be undone: itself and its opposite, for the same object. */
export const rivalsOf = (id: string): string[] => [id, ...[oppositeOf(id) ?? []].flat()]

/** What undoes a change, from its audit entry and, where that names another object, its answer. */
export function inverseOf(change: Change, answer?: unknown): Inverse | undefined {
  const op = declared[change.operation]
  if (!op) return undefined
  return ofOpposite(op, change) ?? ofDns(op, change, answer) ?? ofTrash(op, change, answer) ?? ofFields(op, change)
}

/** The path parameters that an audit entry names: the account, and the object. */
function pathInput(op: Declaration, { account, object_id }: Change): Record<string, string> | undefined {
  const names = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const isOfAccount = op.path.startsWith('/accounts/{id}')
  const ids = isOfAccount ? [account?.id, object_id] : [object_id]
  if (names.length > ids.length || names.some((_, at) => ids[at] === undefined)) return undefined
  return Object.fromEntries(names.map((name, at) => [name, ids[at]!]))
}

function ofOpposite(op: Declaration, change: Change): Inverse | undefined {
  const opposite = oppositeOf(op.id)
  const path = opposite === undefined ? undefined : pathInput(op, change)
  if (opposite === undefined || !path) return undefined
  const reason = change.before?.['suspend_reason'] ?? change.before?.['reason']
  const takesReason = declared[opposite]?.body?.shape['reason'] !== undefined
  return { operation: opposite, input: { ...path, ...(takesReason && { reason: reason ?? '' }) } }
}

type Record_ = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Record_ => typeof value === 'object' && value !== null

/** One batch with the zone's serial: a zone that changed since refuses it. */
function ofDns(op: Declaration, change: Change, answer: unknown): Inverse | undefined {
  if (!op.path.startsWith('/accounts/{id}/dns/zones/{zid}/records') || !isObject(answer)) return undefined
  const { record, serial } = answer
  if (!isObject(record) || typeof serial !== 'number' || !change.account) return undefined
  const edit = dnsEdit(op.id, String(record['id']), change)
  const input = { id: change.account.id, zid: record['zone_id'], ...edit, serial }
  return edit && typeof input.zid === 'string' ? { operation: 'changeDnsRecords', input } : undefined
}

function dnsEdit(id: string, record: string, { before, after }: Change): Record_ | undefined {
  if (id === 'createDnsRecord') return { delete: [record] }
  const former = before ?? after
  if (!former) return undefined
  if (id === 'deleteDnsRecord') return { create: [former] }
  const { type: _, ...values } = former
  return id === 'updateDnsRecord' ? { update: [{ id: record, ...values }] } : undefined
}

function ofTrash(op: Declaration, { account }: Change, answer: unknown): Inverse | undefined {
  const item = op.id === 'deleteFile' && isObject(answer) ? answer['trash_item'] : undefined
  if (!isObject(item) || !account) return undefined
  return { operation: 'restoreTrashItem', input: { id: account.id, xid: item['id'] } }
}

/** The former values of a PATCH or PUT, where its own schema takes them all back. */
function ofFields(op: Declaration, change: Change): Inverse | undefined {
  const { before, after } = change
  const path = pathInput(op, change)
  if ((op.method !== 'patch' && op.method !== 'put') || !op.body || !before || !after || !path) return undefined
  const names = Object.keys(after)
  if (names.length === 0 || names.some((name) => !Object.hasOwn(op.body!.shape, name))) return undefined
  const body = Object.fromEntries(names.map((name) => [name, before[name] ?? null]))
  if (!op.body.safeParse(body).success) return undefined
  return { operation: op.id, input: { ...path, ...body }, expects: after }
}

/** The operation that shows the object which one with this path changes. */
export const showing = ({ path }: Declaration): Declaration | undefined =>
  operationList.find((op) => op.path === path && isRead(op))
