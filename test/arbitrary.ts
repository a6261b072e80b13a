import fc, { type Arbitrary } from 'fast-check'
import type { z } from 'zod'

type Schema = z.core.JSONSchema.BaseSchema

const words = [
  '',
  'a',
  'default',
  'admin',
  'Alice',
  'x.example',
  '::1',
  '10.0.0.0/8',
  '*',
  'dns.*',
  '0x7f.1',
  '..',
  '%',
]
const anyText = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.domain(),
  fc.emailAddress(),
  fc.webUrl(),
  fc.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
)

/** Values that match a schema, and values that barely do not. */
export function arbitraryOf(schema: Schema, text: Arbitrary<string> = anyText): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((branch) => arbitraryOf(branch as Schema, text)))
  switch (schema.type) {
    case 'object':
      return objectOf(schema, text)
    case 'array':
      return fc.array(arbitraryOf(schema.items as Schema, text), { maxLength: 4 })
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, 1, -1, 1.5))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return longEnough(schema, text)
    default:
      return fc.jsonValue()
  }
}

/** Mostly within the length, so that handlers are reached and not only schemas. */
const longEnough = ({ minLength = 0, maxLength = 40 }: Schema, text: Arbitrary<string>): Arbitrary<string> =>
  fc.oneof({ weight: 3, arbitrary: text.map((value) => value.padEnd(minLength, 'x').slice(0, maxLength)) }, text)

function objectOf({ properties = {}, required = [] }: Schema, text: Arbitrary<string>): Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, field]) => [name, arbitraryOf(field as Schema, text)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: required })
}
