import { type OperationId, operationList, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { readIfAllowed } from './around.ts'
import { commandTable } from './commands.ts'
import { fieldsOf } from './form/fields.ts'
import type { Leaf } from './form/leaf.ts'
import { bodyOf } from './form/read.ts'
import { formSchema, refsOf } from './form/schema.ts'
import type { Control, Field, Option } from './kit/field.ts'
import type { Answered, FormOptions, Refusal } from './kit/screen.ts'
import { isId } from './names.ts'
import type { Served } from './served.ts'

/** What was typed into an operation's form. */
export interface Typed {
  readonly op: OperationId
  readonly form: URLSearchParams
}

/** The list member that a form is about. */
export const itemIn = (form: URLSearchParams): string | undefined => form.get('_item') ?? undefined

/** What was typed, if it was typed into this form. */
export const typedInto = <T extends Typed>(typed: T | undefined, op: OperationId, item?: string): T | undefined =>
  typed?.op === op && itemIn(typed.form) === item ? typed : undefined

/** Options to choose from, by collection. */
export type Members = Readonly<Record<string, readonly Option[]>>

const schemaOf = (id: OperationId) => formSchema(id, commandTable())

/** An operation's fields as a page shows them. */
export function fieldsFor(
  id: OperationId,
  options: FormOptions,
  members: Members,
  typed?: Typed,
  refusal?: Refusal,
): Field[] {
  const own = typedInto(typed, id, options.item)
  const fields = fieldsOf(schemaOf(id), {
    members,
    ...(options.value && { value: options.value }),
    ...(options.only && { only: options.only }),
    ...(options.fixed && { fixed: options.fixed }),
    ...(own && { form: own.form, ...(refusal && { errors: refusal.fields }) }),
  })
  const { cli }: Declaration = operations[id]
  return cli?.confirm === 'name' ? fields.filter(({ name }) => name !== 'confirm') : fields
}

export const hasFields = (id: OperationId): boolean => schemaOf(id).leaves.some(({ name }) => name !== 'confirm')

const mostToChoose = 50

/** The options of references in these operations' forms; lists that are too long are left out. */
export async function membersFor(
  served: Served,
  ids: readonly OperationId[],
  account: string | undefined,
): Promise<Members> {
  const collections = new Set(ids.flatMap((id) => refsOf(schemaOf(id)).map(({ collection }) => collection)))
  const members: Record<string, readonly Option[]> = {}
  for (const collection of collections) {
    const options = await optionsIn(served, collection, account)
    if (options) members[collection] = options
  }
  return members
}

async function optionsIn(served: Served, collection: string, account: string | undefined) {
  if (!/^[^{]*(\{id\}[^{]*)?$/.test(collection)) return undefined
  const found = await listed(served, collection, account, { per_page: String(mostToChoose) })
  return found && (found.total ?? 0) <= mostToChoose ? found.options : undefined
}

/** A list's members by name, queried as far as the list's parameters allow. */
async function listed(served: Served, collection: string, account: string | undefined, asked: Record<string, string>) {
  const list = operationList.find(({ method, path }) => method === 'get' && path === collection)
  if (!list) return undefined
  const shape = list.query?.shape ?? {}
  const query = Object.fromEntries(Object.entries(asked).filter(([name]) => name in shape))
  const { name } = commandTable().collections[collection] ?? { name: 'name' }
  const params = account ? { id: account } : {}
  const answer = await readIfAllowed(served, list.id as OperationId, { params, query, fields: [name] })
  if (!answer) return undefined
  const options: Option[] = answer.items.map((item: Answered) => ({
    value: item.id,
    label: String(item[name] ?? item.id),
    named: true,
  }))
  return { options, total: answer.total }
}

/** What a form sends to its operation: body and query, with names resolved to ids. */
export async function inputOf(
  served: Served,
  id: OperationId,
  form: URLSearchParams,
  account: string | undefined,
  told: (given: Record<string, unknown>) => Readonly<Record<string, unknown>> = (given) => given,
) {
  const given = bodyOf(schemaOf(id), form)
  for (const { name, collection } of refsOf(schemaOf(id))) await nameToId(served, given, name, collection, account)
  return splitFor(id, told(given))
}

/** Drops required fields that are still empty. */
export function givenSoFar({ op, form }: Typed, given: Record<string, unknown>): Record<string, unknown> {
  const { leaves, sendsChanges } = schemaOf(op)
  const isOpen = ({ name, required, filled }: Leaf): boolean =>
    required && (given[name] === '' || (isNone(given[name]) && (filled === true || !form.has(name))))
  const open = sendsChanges ? [] : leaves.filter(isOpen).map(({ name }) => name)
  return Object.fromEntries(Object.entries(given).filter(([name]) => !open.includes(name)))
}

const isNone = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** What an untouched form sends: required references take the first option. */
export async function untouched(served: Served, id: OperationId, account: string | undefined) {
  const form = new URLSearchParams()
  for (const { name, required, control } of fieldsFor(id, {}, await membersFor(served, [id], account))) {
    const first = required && firstOf(control)
    if (first) form.set(name, first)
  }
  return form
}

const firstOf = (control: Control): string | undefined =>
  control.kind === 'choice' && control.as === 'select' && control.value === '' ? control.options[0]?.value : undefined

/** Splits the given values into an operation's body and query. */
function splitFor(id: OperationId, given: Readonly<Record<string, unknown>>) {
  const { body, query }: Declaration = operations[id]
  const asked = Object.keys(given).filter((name) => query && name in query.shape && !(body && name in body.shape))
  return {
    body: body && Object.fromEntries(Object.entries(given).filter(([name]) => !asked.includes(name))),
    query: Object.fromEntries(asked.map((name) => [name, String(given[name])])),
  }
}

async function nameToId(
  served: Served,
  given: Record<string, unknown>,
  name: string,
  collection: string,
  account?: string,
) {
  const typed = given[name]
  if (typeof typed !== 'string' || typed === '' || isId(typed)) return
  const { options = [] } = (await listed(served, collection, account, { q: typed, per_page: '5' })) ?? {}
  const same = options.find(({ label }) => label.toLowerCase() === typed.toLowerCase())
  if (same) given[name] = same.value
}
