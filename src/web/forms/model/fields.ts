import { put } from '../../../shared/dotted-keys.ts'
import type { Control, Errors, FormField, Option } from '../../kit/forms/field.ts'
import { labelOf, sentence, unitOf } from '../../kit/i18n/label.ts'
import { controlOf } from './control.ts'
import type { Leaf } from './leaf.ts'
import { wasName } from './names.ts'
import { rowNumbers } from './rows.ts'
import type { FormSchema } from './schema.ts'
import { formOf } from './write.ts'

/** What a form is filled from. */
interface FieldOptions {
  /** The object's current value, or a suggestion. */
  readonly value?: object
  /** What was typed before; it takes precedence. */
  readonly form?: URLSearchParams
  readonly errors?: Errors
  /** The options of references, by collection. */
  readonly members?: Readonly<Record<string, readonly Option[]>>
  /** What the page itself determines, such as the serial it showed: hidden, and always sent. */
  readonly fixed?: Readonly<Record<string, unknown>>
  readonly only?: readonly string[]
}

export function fieldsOf(schema: FormSchema, options: FieldOptions = {}): FormField[] {
  const { value, fixed = {}, only } = options
  const form = completed(options.form, formOf(schema, value))
  const selected = schema.leaves.filter(({ name }) => !only || only.includes(name) || name in fixed)
  return selected.map((leaf) =>
    leaf.name in fixed
      ? hidden(leaf, fixed[leaf.name])
      : fieldOf(leaf, { ...options, form }, leaf.name, schema.sendsChanges),
  )
}

/** A link fills in some fields; a checkbox that it does not name is not a box that was cleared. */
function completed(typed: URLSearchParams | undefined, untouched: URLSearchParams): URLSearchParams {
  if (!typed) return untouched
  const all = new URLSearchParams(typed)
  const isTyped = (name: string): boolean => [...typed.keys()].some((key) => key === name || key.startsWith(`${name}.`))
  for (const [name, value] of untouched) if (!isTyped(name)) all.append(name, value)
  return all
}

function hidden(leaf: Leaf, value: unknown): FormField {
  const object = {}
  put(object, leaf.name, value)
  const form = formOf({ leaves: [leaf], sendsChanges: false }, object)
  return { name: leaf.name, label: labelOf(leaf.name), control: { kind: 'hidden', value: form.get(leaf.name) ?? '' } }
}

type FilledOptions = FieldOptions & { readonly form: URLSearchParams }

function fieldOf(leaf: Leaf, options: FilledOptions, name: string, sendsChanges: boolean): FormField {
  const { form, errors = {} } = options
  const [group, ...inner] = leaf.name.split('.')
  const label = leaf.title ?? labelOf(leaf.name, leaf.kind === 'number')
  const help = helpOf(leaf, label)
  const was = form.get(wasName(name))
  const error = errors[name]
  return {
    name,
    label,
    ...(help && { help }),
    ...(error !== undefined && { error }),
    ...(leaf.required && !sendsChanges && { required: true as const }),
    ...(was !== null && { was }),
    ...(inner.length > 0 && { group: labelOf(group!) }),
    control: leaf.kind === 'rows' ? rowsOf(leaf, options, name) : controlOf(leaf, { ...options, name, sendsChanges }),
  }
}

/** Drops what the label already says. */
function helpOf({ name, description, kind, standard, choices = [] }: Leaf, label: string): string {
  if (description.split(/, | or /).join() === choices.map(({ text }) => text).join()) return ''
  const complete =
    kind === 'choice' && standard !== undefined ? withoutDefault(forPeople(description)) : forPeople(description)
  const plain = kind === 'number' && unitOf(name) ? complete.replace(/, in [A-Za-z]+( a second)?$/, '') : complete
  const output = withoutLabel(plain, label)
  return kind === 'time' ? `${output}${output && '; '}in UTC` : output
}

/** The default is chosen already. */
const withoutDefault = (text: string): string => text.replace(/[;,] [\w-]+ by default$/, '')

/** "Package; default by default" says only "default by default", below the label "Package". */
function withoutLabel(text: string, label: string): string {
  const [first = '', ...rest] = text.split('; ')
  if (first.replace(/^(the|its|an?) /i, '').toLowerCase() !== label.toLowerCase()) return text
  return sentence(rest.join('; ').replace(/^(\w+) by default$/, 'without a choice: $1'))
}

/** Drops what the field shows (the meaning of null, the default), and names other fields by their labels. */
const forPeople = (description: string): string =>
  description
    .replace(/(?:; )?\b(?:null|absent): [^;]*/gi, '')
    .replace(/; (?:true|false) by default$| \((?:true|false)\)$/, '')
    .replace(/ ?\(default: [^)]*\)/g, '')
    .replaceAll('`', '')
    .replace(/\b[a-z]+(_[a-z]+)+\b|(?<=combined with )[a-z]+$/g, (name) => `“${labelOf(name)}”`)
    .trim()

/** The existing rows, and an empty one. */
function rowsOf(leaf: Leaf, options: FilledOptions, name: string): Control {
  const { columns = [] } = leaf
  const filled = rowNumbers(options.form, name)
  const indices = [...filled, (filled.at(-1) ?? -1) + 1]
  const rows = indices.map((index) =>
    columns.map((column) => fieldOf(column, options, `${name}.${index}.${column.name}`, false)),
  )
  return { kind: 'rows', columns: columns.map((column) => labelOf(column.name, column.kind === 'number')), rows }
}
