import { maxChanges } from '../../../contract/dns.ts'
import { invalid } from '../../../contract/problem.ts'
import { own } from '../../../web/kit/own.ts'
import type { Answered, Stages, Visit } from '../../../web/kit/screen.ts'
import { type Changed, type Changes, changesIn, pairsOf, saidIn } from './changes.ts'
import { askedOf, changeOf, extrasOf, fields, type Said, saidBy } from './said.ts'

/** A record whose row is open, as it was when that was chosen, and as it is typed. */
export interface Edited {
  readonly id: string
  readonly managed: boolean
  readonly was: Said
  readonly said: Said
}

/** What the editor's form holds: changes, those that met another's, and what is being typed. */
export interface Editing extends Changes {
  readonly clashes: readonly string[]
  readonly edit?: Edited | undefined
  readonly add: Said
}

const typedUnder = (form: URLSearchParams, row: string): Said =>
  Object.fromEntries(
    fields.flatMap((name) => (form.has(`${row}.${name}`) ? [[name, form.get(`${row}.${name}`)!.trim()]] : [])),
  )

function editedIn(form: URLSearchParams): Edited | undefined {
  const id = form.get('_edit')
  if (id === null) return undefined
  const managed = form.has('_edit.managed')
  return { id, managed, was: saidIn(form.get('_was')), said: typedUnder(form, '_edit') }
}

export const editingIn = (form: URLSearchParams): Editing => ({
  ...changesIn(form),
  clashes: form.getAll('_clash'),
  add: typedUnder(form, '_add'),
  edit: editedIn(form),
})

/** The form, without what its page draws as inputs. */
export const heldOf = (editing: Editing): [string, string][] => [
  ...pairsOf(editing),
  ...editing.clashes.map((id): [string, string] => ['_clash', id]),
]

function formOf(editing: Editing): URLSearchParams {
  const { edit, add } = editing
  const form = new URLSearchParams(heldOf(editing))
  for (const [name, value] of Object.entries(add)) form.set(`_add.${name}`, value)
  if (!edit) return form
  form.set('_edit', edit.id)
  if (edit.managed) form.set('_edit.managed', 'true')
  form.set('_was', JSON.stringify(edit.was))
  for (const [name, value] of Object.entries(edit.said)) form.set(`_edit.${name}`, value)
  return form
}

/** More than can be saved, so that what is too much can still be undone. */
const mostStaged = 2 * maxChanges

/** Ids of what is to change, where the zone is no longer as it was seen. */
export function touched(form: URLSearchParams, { serial }: Answered): string[] {
  const { serial: seen, deletes, updates } = changesIn(form)
  if (deletes.length + updates.length > mostStaged) throw invalid('delete', `name at most ${maxChanges} records in all`)
  if (seen === '' || seen === String(serial)) return []
  return [...new Set([...[...deletes, ...updates].map(({ id }) => id), ...form.getAll('_edit')])]
}

const isTyped = ({ name = '', value = '' }: Said): boolean => name !== '' || value !== ''

/** A type has fields of its own, which are asked for once it is chosen. */
export const isWhole = (said: Said): boolean =>
  (said['value'] ?? '') !== '' && extrasOf(said['type'] ?? '').every((name) => name in said)

const without = (list: readonly Changed[], gone: string): Changed[] => list.filter(({ id }) => id !== gone)

const dropped = (editing: Editing, id: string): Editing => ({
  ...editing,
  deletes: without(editing.deletes, id),
  updates: without(editing.updates, id),
  clashes: editing.clashes.filter((one) => one !== id),
})

function withAdded(editing: Editing): Editing {
  const { add } = editing
  if (!isTyped(add) || !isWhole(add)) return editing
  const named: Said = { ...add, name: add['name'] || '@' }
  const asked = ['type', ...askedOf({ type: named['type'] ?? '' })]
  const kept = Object.entries(named).filter(([name, value]) => value !== '' && asked.includes(name))
  return { ...editing, creates: [...editing.creates, Object.fromEntries(kept)], add: { type: add['type'] ?? 'A' } }
}

function withEdited({ edit, ...editing }: Editing): Editing {
  if (!edit) return editing
  const { id, was, said } = edit
  const change = changeOf(was, { ...said, type: was['type'] ?? '', name: said['name'] || '@' })
  const rest = { deletes: without(editing.deletes, id), updates: without(editing.updates, id) }
  if (Object.keys(change).length === 0) return { ...editing, ...rest }
  return { ...editing, ...rest, updates: [...rest.updates, { id, was, change }] }
}

/** A record of the page, or one of another page that is to change. */
function asItWas({ updates }: Editing, id: string, records: readonly Answered[]) {
  const record = records.find((one) => one.id === id)
  const staged = updates.find((one) => one.id === id)
  return { record, staged, was: staged?.was ?? (record && saidBy(record)) }
}

type Step = (editing: Editing, what: string, records: readonly Answered[]) => Editing

const steps: Readonly<Record<string, Step>> = {
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
    return { ...editing, edit: { id, managed: record?.managed === true, was, said: { ...was, ...staged?.change } } }
  },
  drop: (editing, at) => ({ ...editing, creates: editing.creates.filter((_, place) => place !== Number(at)) }),
  again(editing, at) {
    const add = editing.creates[Number(at)]
    const creates = editing.creates.filter((_, place) => place !== Number(at))
    return add && !isTyped(editing.add) ? { ...editing, creates, add } : editing
  },
}

/** Marks what another has changed too, and goes on from how the zone is now. */
function refreshed(editing: Editing, { data, also }: Visit, asked: ReadonlySet<string>): Editing {
  const now = new Map<string, Said>((also['touched'] ?? []).map((one: Answered) => [one.id, saidBy(one)]))
  const clashes = new Set(editing.clashes)
  const current = <One extends Pick<Changed, 'id' | 'was'>>(one: One): One => {
    const said = now.get(one.id)
    if (!asked.has(one.id) || JSON.stringify(said) === JSON.stringify(one.was)) return one
    clashes.add(one.id)
    return said ? { ...one, was: said } : one
  }
  const lists = { deletes: editing.deletes.map(current), updates: editing.updates.map(current) }
  const edit = editing.edit && current(editing.edit)
  return { ...editing, ...lists, edit, clashes: [...clashes], serial: String(data.serial) }
}

function next(visit: Visit): URLSearchParams {
  const form = visit.typed ?? new URLSearchParams()
  const records: readonly Answered[] = visit.data.items
  const [verb = '', what = ''] = (form.get('_stage') ?? '').split(':')
  const came = refreshed(editingIn(form), visit, new Set(touched(form, visit.data)))
  const typed = withAdded(verb === 'cancel' ? { ...came, edit: undefined } : withEdited(came))
  return formOf(own(steps, verb)?.(typed, what, records) ?? typed)
}

export const stages: Stages = {
  when: (form) => form.has('_stage') || form.has('_edit') || isTyped(typedUnder(form, '_add')),
  next,
}
