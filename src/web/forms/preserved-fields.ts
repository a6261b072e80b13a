import type { OperationId } from '../../contract/index.ts'
import { commandTable } from '../command-bar/command-table.ts'
import type { Control, FormField } from '../kit/forms/field.ts'
import { labelOf } from '../kit/i18n/label.ts'
import type { Action } from '../kit/screen.ts'
import { noneName, wasName } from './model/names.ts'
import { formSchema, secretsOf } from './model/schema.ts'
import { fieldsFor, itemIn, type TypedForm } from './operation-form.ts'

const ofTheSession = ['do', 'csrf_token', '_key', '_password']
const MAX_LINE_LENGTH = 200

/** A submitted form's values as plain fields: never a secret, and without reading the store. */
export function fieldsTyped(typed: TypedForm, act: Action | undefined): FormField[] {
  const known = drawnByView(act) ? [] : leavesIn(typed)
  const fields = fieldsFor(typed.op, { only: known, item: itemIn(typed.form) }, {}, typed)
  return [...fields, ...othersIn(typed, [...known, ...(act?.secrets ?? [])])]
}

/** A submitted form's values as hidden fields; secrets are not among them. */
export function hiddenFields({ op, form }: TypedForm, { secrets = [] }: Action): FormField[] {
  const left = [...secrets, ...secretsOf(schemaFor(op)), ...ofTheSession, '_item', '_yes', '_passkey']
  const isLeft = (name: string): boolean => left.some((one) => isOf(one, name))
  return [...form]
    .filter(([name]) => !isLeft(name))
    .map(([name, value]) => ({ name, label: labelOf(name), control: { kind: 'hidden', value } }))
}

/** Such a form's view names its fields itself. */
const drawnByView = (act: Action | undefined): boolean => act?.toBytes !== undefined || act?.staging !== undefined

const schemaFor = (op: OperationId) => formSchema(op, commandTable())

const isOf = (leaf: string, name: string): boolean =>
  [leaf, noneName(leaf), wasName(leaf)].includes(name) || name.startsWith(`${leaf}.`)

/** The operation's fields that the form had. */
const leavesIn = ({ op, form }: TypedForm): string[] =>
  schemaFor(op)
    .leaves.map(({ name }) => name)
    .filter((leaf) => leaf !== 'confirm' && [...form.keys()].some((name) => isOf(leaf, name)))

function othersIn({ op, form }: TypedForm, known: readonly string[]): FormField[] {
  const left = [...known, ...secretsOf(schemaFor(op))]
  const seen = new Set<string>()
  return [...form].flatMap(([name, value]): FormField[] => {
    if (ofTheSession.includes(name) || left.some((leaf) => isOf(leaf, name))) return []
    const isVisible = !isOwn(name) && !seen.has(name)
    seen.add(name)
    return [{ name, label: labelOf(name), control: isVisible ? boxOf(value) : { kind: 'hidden', value } }]
  })
}

/** The page's own hidden fields. */
const isOwn = (name: string): boolean => /^(_|was\.|none\.)/.test(name)

const boxOf = (value: string): Control =>
  value.includes('\n') || value.length > MAX_LINE_LENGTH
    ? { kind: 'area', value, machine: true, rows: 20 }
    : { kind: 'text', type: 'text', value, machine: true }
