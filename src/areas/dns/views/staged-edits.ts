import { maxChanges } from '../../../contract/dns.ts'
import { invalid } from '../../../contract/problem.ts'
import { lookupOwn } from '../../../web/kit/lookup.ts'
import type { Answered, Staging, ViewContext } from '../../../web/kit/screen.ts'
import { type Changed, changesIn, fieldsIn, pairsOf, type RecordChanges } from './changes.ts'
import { changeOf, extrasOf, fieldNamesOf, fields, fieldsOf, type RecordFields } from './record-fields.ts'

/** A record whose row is open, as it was when that was chosen, and as it is typed. */
export interface Edited {
  readonly id: string
  readonly managed: boolean
  readonly was: RecordFields
  readonly fields: RecordFields
}

/** What the editor's form holds: changes, those that met another's, and what is being typed. */
export interface Editing extends RecordChanges {
  readonly clashes: readonly string[]
  readonly edit?: Edited | undefined
  readonly add: RecordFields
}

const typedUnder = (form: URLSearchParams, row: string): RecordFields =>
  Object.fromEntries(
    fields.flatMap((name) => (form.has(`${row}.${name}`) ? [[name, form.get(`${row}.${name}`)!.trim()]] : [])),
  )

function editedIn(form: URLSearchParams): Edited | undefined {
  const id = form.get('_edit')
  if (id === null) return undefined
  const managed = form.has('_edit.managed')
  return { id, managed, was: fieldsIn(form.get('_was')), fields: typedUnder(form, '_edit') }
}

export const editingIn = (form: URLSearchParams): Editing => ({
  ...changesIn(form),
  clashes: form.getAll('_clash'),
  add: typedUnder(form, '_add'),
  edit: editedIn(form),
})

/** The form, without what its page draws as inputs. */
export const hiddenFieldsOf = (editing: Editing): [string, string][] => [
  ...pairsOf(editing),
  ...editing.clashes.map((id): [string, string] => ['_clash', id]),
]

function formOf(editing: Editing): URLSearchParams {
  const { edit, add } = editing
  const form = new URLSearchParams(hiddenFieldsOf(editing))
  for (const [name, value] of Object.entries(add)) form.set(`_add.${name}`, value)
  if (!edit) return form
  form.set('_edit', edit.id)
  if (edit.managed) form.set('_edit.managed', 'true')
  form.set('_was', JSON.stringify(edit.was))
  for (const [name, value] of Object.entries(edit.fields)) form.set(`_edit.${name}`, value)
  return form
}

/** More than can be saved, so that what is too much can still be undone. */
const MAX_STAGED_CHANGES = 2 * maxChanges

/** Ids of what is to change, where the zone is no longer as it was seen. */
export function touched(form: URLSearchParams, { serial }: Answered): string[] {
  const { serial: seen, deletes, updates } = changesIn(form)
  if (deletes.length + updates.length > MAX_STAGED_CHANGES)
    throw invalid('delete', `name at most ${maxChanges} records in all`)
  if (seen === '' || seen === String(serial)) return []
  return [...new Set([...[...deletes, ...updates].map(({ id }) => id), ...form.getAll('_edit')])]
}

const isTyped = ({ name = '', value = '' }: RecordFields): boolean => name !== '' || value !== ''

/** A type has fields of its own, which are asked for once it is chosen. */
export const isComplete = (output: RecordFields): boolean =>
  (output['value'] ?? '') !== '' && extrasOf(output['type'] ?? '').every((name) => name in output)

const without = (list: readonly Changed[], gone: string): Changed[] => list.filter(({ id }) => id !== gone)

const dropped = (editing: Editing, id: string): Editing => ({
  ...editing,
  deletes: without(editing.deletes, id),
  updates: without(editing.updates, id),
  clashes: editing.clashes.filter((one) => one !== id),
})

function withAdded(editing: Editing): Editing {
  const { add } = editing
  if (!isTyped(add) || !isComplete(add)) return editing
  const named: RecordFields = { ...add, name: add['name'] || '@' }
  const names = ['type', ...fieldNamesOf({ type: named['type'] ?? '' })]
  const filled = Object.entries(named).filter(([name, value]) => value !== '' && names.includes(name))
  return { ...editing, creates: [...editing.creates, Object.fromEntries(filled)], add: { type: add['type'] ?? 'A' } }
}

function withEdited({ edit, ...editing }: Editing): Editing {
  if (!edit) return editing
  const { id, was, fields: output } = edit
  const change = changeOf(was, { ...output, type: was['type'] ?? '', name: output['name'] || '@' })
  const rest = { deletes: without(editing.deletes, id), updates: without(editing.updates, id) }
  if (Object.keys(change).length === 0) return { ...editing, ...rest }
  return { ...editing, ...rest, updates: [...rest.updates, { id, was, change }] }
}

/** A record of the page, or one of another page that is to change. */
function asItWas({ updates }: Editing, id: string, records: readonly Answered[]) {
  const record = records.find((one) => one.id === id)
  const staged = updates.find((one) => one.id === id)
  return { record, staged, was: staged?.was ?? (record && fieldsOf(record)) }
}

type StagedEdit = (editing: Editing, what: string, records: readonly Answered[]) => Editing

const steps: Readonly<Record<string, StagedEdit>> = {
  delete(editing, id, records) {
    const { was } = asItWas(editing, id, records)
    if (!was) return editing
    const rest = dropped(editing, id)
    return { ...rest, deletes: [...rest.deletes, { id, was, change: {} }] }
  },
  undo: (editing, id) => dropped(editing, id),
  edit(editing, id, records) {
    const { record, staged, was } = asItWas(editing, id, records)
    if (!was) return editing
    return { ...editing, edit: { id, managed: record?.managed === true, was, fields: { ...was, ...staged?.change } } }
  },
  drop: (editing, at) => ({ ...editing, creates: editing.creates.filter((_, place) => place !== Number(at)) }),
  again(editing, at) {
    const add = editing.creates[Number(at)]
    const creates = editing.creates.filter((_, place) => place !== Number(at))
    return add && !isTyped(editing.add) ? { ...editing, creates, add } : editing
  },
}

/** Marks what another has changed too, and goes on from how the zone is now. */
function refreshed(editing: Editing, { data, sections }: ViewContext, names: ReadonlySet<string>): Editing {
  const now = new Map<string, RecordFields>((sections['touched'] ?? []).map((one: Answered) => [one.id, fieldsOf(one)]))
  const clashes = new Set(editing.clashes)
  const current = <One extends Pick<Changed, 'id' | 'was'>>(one: One): One => {
    const output = now.get(one.id)
    if (!names.has(one.id) || JSON.stringify(output) === JSON.stringify(one.was)) return one
    clashes.add(one.id)
    return output ? { ...one, was: output } : one
  }
  const lists = { deletes: editing.deletes.map(current), updates: editing.updates.map(current) }
  const edit = editing.edit && current(editing.edit)
  return { ...editing, ...lists, edit, clashes: [...clashes], serial: String(data.serial) }
}

function next(view: ViewContext): URLSearchParams {
  const form = view.typed ?? new URLSearchParams()
  const records: readonly Answered[] = view.data.items
  const [verb = '', what = ''] = (form.get('_stage') ?? '').split(':')
  const came = refreshed(editingIn(form), view, new Set(touched(form, view.data)))
  const typed = withAdded(verb === 'cancel' ? { ...came, edit: undefined } : withEdited(came))
  return formOf(lookupOwn(steps, verb)?.(typed, what, records) ?? typed)
}

export const stages: Staging = {
  when: (form) => form.has('_stage') || form.has('_edit') || isTyped(typedUnder(form, '_add')),
  next,
}
