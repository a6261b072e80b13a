import { isId } from '../../contract/common.ts'
import { type OperationId, operationList, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import { commandTable } from '../command-bar/command-table.ts'
import { type Control, type FormField, type Option, packageLimits } from '../kit/forms/field.ts'
import type { Answered, FormOptions, FormRefusal } from '../kit/screen.ts'
import { readIfAllowed } from '../pages/page-context.ts'
import type { PanelRequest } from '../panel-request.ts'
import { fieldsOf } from './model/fields.ts'
import type { Leaf } from './model/leaf.ts'
import { wasName } from './model/names.ts'
import { bodyOf } from './model/read.ts'
import { formSchema, refsOf } from './model/schema.ts'
import { formOf } from './model/write.ts'

/** What was typed into an operation's form. */
export interface TypedForm {
  readonly op: OperationId
  readonly form: URLSearchParams
}

/** The list member that a form is about. */
export const itemIn = (form: URLSearchParams): string | undefined => form.get('_item') ?? undefined

/** What was typed, if it was typed into this form. */
export const typedInto = <T extends TypedForm>(typed: T | undefined, op: OperationId, item?: string): T | undefined =>
  typed?.op === op && itemIn(typed.form) === item ? typed : undefined

/** Options to choose from, by collection. */
export type Members = Readonly<Record<string, readonly Option[]>>

const schemaOf = (id: OperationId) => formSchema(id, commandTable())

/** An operation's fields as a page shows them. */
export function fieldsFor(
  id: OperationId,
  options: FormOptions,
  members: Members,
  typed?: TypedForm,
  refusal?: FormRefusal,
): FormField[] {
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

const MAX_OPTIONS = 50

/** The options of references in these operations' forms; lists that are too long are left out. */
export async function membersFor(
  request: PanelRequest,
  ids: readonly OperationId[],
  account: string | undefined,
): Promise<Members> {
  const collections = new Set(ids.flatMap((id) => refsOf(schemaOf(id)).map(({ collection }) => collection)))
  const members: Record<string, readonly Option[]> = {}
  for (const collection of collections) {
    const options = await optionsIn(request, collection, account)
    if (options) members[collection] = options
  }
  return members
}

async function optionsIn(request: PanelRequest, collection: string, account: string | undefined) {
  if (!/^[^{]*(\{id\}[^{]*)?$/.test(collection)) return undefined
  const found = await listed(request, collection, account, { per_page: String(MAX_OPTIONS) })
  return found && (found.total ?? 0) <= MAX_OPTIONS ? found.options : undefined
}

/** A list's members by name, queried as far as the list's parameters allow. */
async function listed(
  request: PanelRequest,
  collection: string,
  account: string | undefined,
  filters: Record<string, string>,
) {
  const list = operationList.find(({ method, path }) => method === 'get' && path === collection)
  if (!list) return undefined
  const shape = list.query?.shape ?? {}
  const query = Object.fromEntries(Object.entries(filters).filter(([name]) => name in shape))
  const { name } = commandTable().collections[collection] ?? { name: 'name' }
  const params = account ? { id: account } : {}
  const limits = collection === '/packages' ? packageLimits : []
  const answer = await readIfAllowed(request, list.id as OperationId, { params, query, fields: [name, ...limits] })
  if (!answer) return undefined
  const options: Option[] = answer.items.map((item: Answered) => ({
    value: item.id,
    label: String(item[name] ?? item.id),
    named: true,
    ...(limits.length > 0 && { limits: Object.fromEntries(limits.map((limit) => [limit, item[limit]])) }),
  }))
  return { options, total: answer.total }
}

/** What a form sends to its operation: body and query, with names resolved to ids. */
export async function inputOf(
  request: PanelRequest,
  id: OperationId,
  form: URLSearchParams,
  account: string | undefined,
  transform: (input: Record<string, unknown>) => Readonly<Record<string, unknown>> = (input) => input,
) {
  const input = bodyOf(schemaOf(id), form)
  const { implies } = commandTable().operations[id] ?? {}
  if (implies && (input[implies.field] ?? undefined) !== undefined) input[implies.sets] ??= implies.to
  for (const { name, collection } of refsOf(schemaOf(id))) await nameToId(request, input, name, collection, account)
  return splitFor(id, transform(input))
}

/** Drops required fields that are still empty. */
export function filledFields({ op, form }: TypedForm, input: Record<string, unknown>): Record<string, unknown> {
  const { leaves, sendsChanges } = schemaOf(op)
  const isOpen = ({ name, required, filled }: Leaf): boolean =>
    required && (input[name] === '' || (isNone(input[name]) && (filled === true || !form.has(name))))
  const open = sendsChanges ? [] : leaves.filter(isOpen).map(({ name }) => name)
  return Object.fromEntries(Object.entries(input).filter(([name]) => !open.includes(name)))
}

const isNone = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** What an untouched form sends: the value it begins with; other required references take the first option. */
export async function untouched(request: PanelRequest, id: OperationId, account: string | undefined, value?: object) {
  const form = value ? withoutPrevious(formOf(schemaOf(id), value)) : new URLSearchParams()
  for (const { name, required, control } of fieldsFor(id, {}, await membersFor(request, [id], account))) {
    if (form.get(name)) continue
    const first = required && firstOf(control)
    if (first) form.set(name, first)
  }
  return form
}

/** The form begins with the value, and changes nothing that was there. */
function withoutPrevious(form: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...form].filter(([name]) => !name.startsWith(wasName(''))))
}

const firstOf = (control: Control): string | undefined =>
  control.kind === 'choice' && control.as === 'select' && control.value === '' ? control.options[0]?.value : undefined

/** Splits the given values into an operation's body and query. */
function splitFor(id: OperationId, input: Readonly<Record<string, unknown>>) {
  const { body, query }: Declaration = operations[id]
  const queryNames = Object.keys(input).filter((name) => query && name in query.shape && !(body && name in body.shape))
  return {
    body: body && Object.fromEntries(Object.entries(input).filter(([name]) => !queryNames.includes(name))),
    query: Object.fromEntries(queryNames.map((name) => [name, String(input[name])])),
  }
}

async function nameToId(
  request: PanelRequest,
  input: Record<string, unknown>,
  name: string,
  collection: string,
  account?: string,
) {
  const typed = input[name]
  if (typeof typed !== 'string' || typed === '' || isId(typed)) return
  const filters = { q: typed, per_page: '5' }
  const { options } =
    (await listed(request, collection, account, filters)) ?? (await lookedUp(request, collection, typed))
  const same = options.find(({ label }) => label.toLowerCase() === typed.toLowerCase())
  if (same) input[name] = same.value
}

/** Those who may use packages without seeing their list can look one up. */
async function lookedUp(request: PanelRequest, collection: string, name: string) {
  const query = { name, kind: 'package' }
  const found = collection === '/packages' ? await readIfAllowed(request, 'lookup', { query }) : undefined
  const options: Option[] = (found?.items ?? []).map((item: Answered) => ({
    value: item.id,
    label: item.name,
    named: true,
  }))
  return { options }
}

/** The problem with a body, where names that no object has are said to be that. */
export function withUnknownNames(id: OperationId, body: object | undefined, problem: unknown): unknown {
  if (!(problem instanceof Problem) || !body) return problem
  const { fields = {} } = problem
  const isUnknown = (name: string): boolean =>
    typeof fields[name] === 'string' && isName(body[name as keyof typeof body])
  const unknown = refsOf(schemaOf(id)).filter(({ name }) => isUnknown(name))
  if (unknown.length === 0) return problem
  const messages = unknown.map(({ name, collection }) => [
    name,
    `no ${nounOf(collection)} that you can use has this name`,
  ])
  return new Problem(problem.code, problem.detail, { ...fields, ...Object.fromEntries(messages) }, problem.headers)
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '' && !isId(value)
const nounOf = (collection: string): string => commandTable().collections[collection]?.noun ?? 'object'
