import type { Invocation } from '../invocation.ts'
import { setAt } from '../request/plan.ts'
import { type Column, columnsOf, type Field, type Operation } from '../table.ts'
import { at } from './cells.ts'
import { presetIn, type View } from './view.ts'

/** Longer texts, such as certificates, are not repeated. */
const MAX_SENT_LENGTH = 200

/** A change shows the fields that it changed, besides those that are always shown. */
export function withSent(view: View, invocation: Invocation, operation: Operation, body: unknown): View {
  if (operation.method === 'GET' || invocation.option('columns') !== undefined) return view
  if (presetIn(invocation, operation)) return view
  const sent = operation.fields.filter((field) => isDisplayed(field) && isShort(at(body, field.name)))
  const shape = columnsOf(operation)
  const columns = [...view.columns]
  const values: Record<string, unknown> = {}
  for (const field of sent) {
    const column = columnFor(shape, field) ?? { field: field.name.replace(/_id$/, '') }
    const isObject = field.ref !== undefined && invocation.command.args.includes(field.option)
    if (columns.some(({ field: known }) => known === column.field) || (isObject && !shape.includes(column))) continue
    columns.push(column)
    if (!shape.includes(column)) setAt(values, column.field, typedFor(invocation, field) ?? at(body, field.name))
  }
  return { ...view, columns, sent: values }
}

const isDisplayed = ({ place, secret, file, internal }: Field): boolean =>
  place === 'body' && !secret && !file && !internal

/** The answer's field that holds what a field sets: the same one, one in the object, or the name of what an id means. */
function columnFor(shape: readonly Column[], { name }: Field): Column | undefined {
  const names = name.endsWith('_id') ? [name.replace(/_id$/, '_name'), name.replace(/_id$/, '.name')] : [name]
  const renamed = others[name] ?? []
  const candidates = [...names, `suspended_${name}`, ...renamed]
  return shape.find(({ field }) => candidates.some((one) => field === one || field.endsWith(`.${one}`)))
}

/** Fields that are answered under another name. */
const others: Readonly<Record<string, readonly string[]>> = {
  domain: ['main_domain'],
  reason: ['suspend_reason'],
  expires_in: ['expires_at'],
  ip_id: ['ip_address'],
  ip6_id: ['ip6_address'],
}

/** A name as it was typed, instead of its id. */
const typedFor = ({ command, positionals, option }: Invocation, field: Field): unknown => {
  if (!field.ref) return undefined
  return positionals[command.args.indexOf(field.option)] ?? option(field.option)
}

const isShort = (value: unknown): boolean =>
  value !== undefined && !(typeof value === 'string' && (value.length > MAX_SENT_LENGTH || value.includes('\n')))

/** An answer with the sent values that it lacks. */
export const withValues = (answer: unknown, sent: object | undefined): unknown =>
  sent && typeof answer === 'object' && !Array.isArray(answer) ? { ...sent, ...answer } : answer
