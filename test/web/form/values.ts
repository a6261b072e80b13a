import fc, { type Arbitrary } from 'fast-check'
import { isNullable, type Schema, variants } from '../../../src/contract/json-schema.ts'

const text = fc.oneof(
  fc.constantFrom('null', 'true', 'none', 'unlimited', '0', ' x ', "it's", '<b>&amp;"', '-1', 'a,b', '‮rtl', '٣'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.emailAddress(),
)
const lines = fc.array(text, { minLength: 1, maxLength: 3 }).map((several) => several.join('\n'))

const isLong = ({ maxLength = 0 }: Schema): boolean => maxLength > 200

/** Texts that a form can express: no line has a carriage return of its own, and none is empty. */
const textOf = (schema: Schema, isItem: boolean): Arbitrary<string> =>
  (isLong(schema) && !isItem ? fc.oneof(lines, text) : text).map((one) => one.replaceAll('\r', ' '))

/** Values that a person can enter in a form of this schema. */
export function valuesOf(schema: Schema, isItem = false): Arbitrary<unknown> {
  const open = variants(schema).filter((one) => !(one.const === '' && variants(schema).length > 1))
  const kinds = open.map((one) => plainOf(one, isItem))
  const all = isNullable(schema) || schema.type === 'null' ? [...kinds, fc.constant(null)] : kinds
  return fc.oneof(...all)
}

/** Lines such as `old=new`: a name without the sign. */
const pairs = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9.@_-]{0,20}$/),
  text.map((one) => one.replaceAll('\r', ' ')),
  { maxKeys: 4, noNullPrototype: true },
)

function plainOf(schema: Schema, isItem: boolean): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const { minimum = 0, maximum = 2 ** 53 - 1 } = schema
  switch (schema.type) {
    case 'object':
      if (schema.additionalProperties) return pairs
      return objectsOf(schema, schema.required)
    case 'array':
      return listsOf(schema.items!)
    case 'integer':
      return fc.integer({ min: minimum, max: maximum })
    case 'boolean':
      return fc.boolean()
    default:
      return textOf(schema, isItem)
  }
}

/** Of an enumeration each at most once, in its order: like ticked boxes. */
function listsOf(items: Schema): Arbitrary<unknown> {
  const sets = variants(items).map((one) => one.enum)
  if (sets.every((set) => set !== undefined)) return fc.subarray(sets.flat())
  return fc.array(items.properties ? rowsOf(items) : valuesOf(items, true), { maxLength: 4 })
}

/** A row has at least one value. */
const rowsOf = (items: Schema): Arbitrary<unknown> => {
  const [typed = ''] =
    Object.entries(items.properties ?? {}).find(([, one]) => one.type === 'string' && !one.enum) ?? []
  return objectsOf(items, [...(items.required ?? []), typed])
}

export function objectsOf(schema: Schema, required: readonly string[] = []): Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, valuesOf(one)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] as never[] })
}
