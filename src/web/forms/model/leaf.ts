import {
  alternatives,
  choicesOf,
  descriptionOf,
  isNullable,
  type Schema,
  variants,
} from '../../../contract/json-schema.ts'
import type { Field as Row } from '../../../shared/commands.ts'

/** A value's kind, which determines its control. */
type FieldKind =
  | 'text'
  | 'number'
  | 'time'
  | 'flag'
  | 'choice'
  | 'checks'
  | 'lines'
  | 'pairs'
  | 'rows'
  | 'reference'
  | 'secret'

/** One value of a closed set: as the form sends it, and as the body has it. */
interface Choice {
  readonly text: string
  readonly means: unknown
}

/** One input of a body; nested names are dotted. */
export interface Leaf {
  readonly name: string
  readonly kind: FieldKind
  /** The schema of the value, or of a list's items. */
  readonly schema: Schema
  readonly description: string
  readonly title?: string
  readonly required: boolean
  readonly nullable: boolean
  /** Without a value, fields of its own say what it is. */
  readonly orFields?: true
  /** Set for a list that must not be empty. */
  readonly filled?: true
  /** The default, if the contract states one. */
  readonly standard?: unknown
  readonly choices?: readonly Choice[]
  /** Values that are typed in place of others: `all` instead of a list of names. */
  readonly constants?: readonly unknown[]
  /** The collection that a reference points into. */
  readonly collection?: string
  /** For a list of objects. */
  readonly columns?: readonly Leaf[]
}

/** How a form spells null. */
export const nullText = 'null'

/** A form has rows, but no lists within them. */
export const hasListsInRows = (property: Schema): boolean =>
  variants(property).some(({ items }) =>
    Object.values(items?.properties ?? {}).some((column) => variants(column).some(({ type }) => type === 'array')),
  )

/** The leaves of an object, from its schema and its rows in the command table. */
export function leavesOf(schema: Schema, rows: readonly Row[], prefix = '', outer = true): Leaf[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const required = outer && (schema.required?.includes(key) ?? false)
    const { word, objects } = alternatives(property)
    const nested = objects.flatMap((one) => leavesOf(one, rows, `${prefix}${key}.`, required && !word))
    if ((objects.length > 0 && !word) || hasListsInRows(property)) return nested
    const name = prefix + key
    const row = rows.find((one) => one.name === name)
    const leaf = leafOf(name, word ?? property, required && !word, row)
    return [nested.length > 0 ? { ...leaf, orFields: true as const } : leaf, ...nested]
  })
}

function leafOf(name: string, property: Schema, required: boolean, row: Row | undefined): Leaf {
  const array = variants(property).find((one) => one.type === 'array')
  const schema = array?.items ?? plainest(property)
  const nullable = isNullable(property)
  const kind = kindOf(property, array, row)
  const choices = choicesIn(kind, array ? array.items! : property, nullable)
  const standard = standardOf(property) ?? (kind === 'choice' ? namedStandard(property, choices) : undefined)
  return {
    name,
    kind,
    schema,
    description: descriptionOf(property) || descriptionOf(schema),
    required,
    nullable,
    ...(array?.minItems && { filled: true as const }),
    ...(property.title !== undefined && { title: property.title }),
    ...(standard !== undefined && { standard }),
    ...(choices && { choices }),
    ...((kind === 'text' || kind === 'lines') && { constants: constantsOf(property) }),
    ...(kind === 'reference' && { collection: row!.ref! }),
    ...(kind === 'rows' && { columns: leavesOf(array!.items!, []) }),
  }
}

const constantsOf = (property: Schema): unknown[] =>
  variants(property).flatMap((one) => (one.const === undefined ? [] : [one.const]))

/** The most informative of several variants: an address rather than the empty string beside it. */
const plainest = (property: Schema): Schema =>
  variants(property).find((one) => one.const === undefined) ?? variants(property)[0] ?? property

function kindOf(property: Schema, array: Schema | undefined, row: Row | undefined): FieldKind {
  if (row?.secret) return 'secret'
  if (row?.ref && !array) return 'reference'
  if (array) return listKind(array.items ?? {})
  const { type, additionalProperties } = plainest(property)
  if (additionalProperties) return 'pairs'
  if (choicesOf(property) || property.type === 'null') return 'choice'
  if (type === 'boolean') return isNullable(property) ? 'choice' : 'flag'
  if (row?.type === 'time') return 'time'
  return type === 'integer' || type === 'number' ? 'number' : 'text'
}

function listKind(items: Schema): FieldKind {
  if (items.properties) return 'rows'
  return choicesOf(items) ? 'checks' : 'lines'
}

function choicesIn(kind: FieldKind, schema: Schema, nullable: boolean): Choice[] | undefined {
  if (kind !== 'choice' && kind !== 'checks') return undefined
  const values = variants(schema).flatMap((one) => one.enum ?? (one.type === 'boolean' ? [true, false] : [one.const]))
  const choices = values.map((means) => ({ text: String(means), means }))
  const none = nullable || schema.type === 'null' ? [{ text: nullText, means: null }] : []
  return [...choices, ...none]
}

/** Of a choice, if its description ends with "never by default". */
function namedStandard(property: Schema, choices: readonly Choice[] = []): unknown {
  const [, word] = /[;,] `?([\w-]+)`? by default$/.exec(descriptionOf(property)) ?? []
  return choices.find(({ text }) => text === word)?.means
}

/** The contract states the default in the schema, or in the description. */
function standardOf(property: Schema): unknown {
  if (property.default !== undefined) return property.default
  const output = descriptionOf(property)
  if (/unless this is false|\(default: true\)|true by default/.test(output)) return true
  return /\(default: false\)|false by default/.test(output) ? false : undefined
}
