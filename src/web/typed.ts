import type { OperationId } from '../contract/index.ts'
import { commandTable } from './commands.ts'
import { noneName, wasName } from './form/names.ts'
import { formSchema, secretsOf } from './form/schema.ts'
import { fieldsFor, itemIn, type Typed } from './forms.ts'
import type { Control, Field } from './kit/field.ts'
import { labelOf } from './kit/label.ts'
import type { Act } from './kit/screen.ts'

const ofTheSession = ['do', 'csrf_token', '_key', '_password']
const mostOfLine = 200

/** A submitted form's values as plain fields: never a secret, and without reading the store. */
export function fieldsTyped(typed: Typed, act: Act | undefined): Field[] {
  const known = drawnByView(act) ? [] : leavesIn(typed)
  const fields = fieldsFor(typed.op, { only: known, item: itemIn(typed.form) }, {}, typed)
  return [...fields, ...othersIn(typed, known)]
}

/** Such a form's view names its fields itself. */
const drawnByView = (act: Act | undefined): boolean => act?.sends !== undefined || act?.stages !== undefined

const schemaFor = (op: OperationId) => formSchema(op, commandTable())

const isOf = (leaf: string, name: string): boolean =>
  [leaf, noneName(leaf), wasName(leaf)].includes(name) || name.startsWith(`${leaf}.`)

/** The operation's fields that the form had. */
const leavesIn = ({ op, form }: Typed): string[] =>
  schemaFor(op)
    .leaves.map(({ name }) => name)
    .filter((leaf) => leaf !== 'confirm' && [...form.keys()].some((name) => isOf(leaf, name)))

function othersIn({ op, form }: Typed, known: readonly string[]): Field[] {
  const left = [...known, ...secretsOf(schemaFor(op))]
  const seen = new Set<string>()
  return [...form].flatMap(([name, value]): Field[] => {
    if (ofTheSession.includes(name) || left.some((leaf) => isOf(leaf, name))) return []
    const isShown = !isOwn(name) && !seen.has(name)
    seen.add(name)
    return [{ name, label: labelOf(name), control: isShown ? boxOf(value) : { kind: 'hidden', value } }]
  })
}

/** The page's own hidden fields. */
const isOwn = (name: string): boolean => /^(_|was\.|none\.)/.test(name)

const boxOf = (value: string): Control =>
  value.includes('\n') || value.length > mostOfLine
    ? { kind: 'area', value, machine: true, rows: 20 }
    : { kind: 'text', type: 'text', value, machine: true }
