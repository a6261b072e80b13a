import fc, { type Arbitrary } from 'fast-check'
import { operationList } from '../../../src/contract/index.ts'
import { type Schema, schemaOf } from '../../../src/contract/json-schema.ts'
import type { Declaration } from '../../../src/contract/operation.ts'
import type { Field, Operation } from '../../../src/shared/commands.ts'
import { at, put } from '../../../src/shared/dotted-keys.ts'
import { arbitraryOf } from '../../arbitrary.ts'

/** What a shell, the command line, or a reader could misread. */
const hostile = fc.oneof(
  fc.constantFrom(
    "'",
    "it's",
    '$HOME',
    '$(id)',
    '`id`',
    ';',
    'a;b',
    'a,b',
    ',',
    'none',
    'NULL',
    'unlimited',
    '',
    ' ',
    'a\nb',
  ),
  fc.constantFrom(
    '-x',
    '--yes',
    '-',
    '--',
    '-o',
    'help',
    '-h',
    '--help',
    '@file',
    '@changes.json',
    '!x',
    '\\',
    '"',
    '*',
    '~',
  ),
  fc.constantFrom(
    '‮x',
    'a​b',
    '\u0000',
    '\u001b[2J',
    '\ud800',
    'ü',
    '名前',
    'a=b',
    '#x',
    '&',
    '|',
    '<a>',
    '{a,b}',
    '%41',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ minLength: 201, maxLength: 260 }),
)

export const anId = fc.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)

export interface Input {
  readonly params: Record<string, string>
  readonly query: Record<string, unknown>
  readonly body: Record<string, unknown> | undefined
}

/** Inputs of an operation: ids for objects, and anything else for text. */
export function inputsOf(row: Operation): Arbitrary<Input> {
  const { query, body } = operationList.find(({ id }) => id === row.id)! as Declaration
  const objectOf = (schema: Declaration['body']) =>
    schema
      ? (arbitraryOf(schemaOf(schema, 'input') as never, hostile) as Arbitrary<Record<string, unknown>>)
      : undefined
  const drawn = fc.record({
    params: fc.record(Object.fromEntries(placed(row, 'path').map((field) => [field.name, textOf(field)]))),
    query: objectOf(query)?.map((one) => countable(one, schemaOf(query!, 'input'))) ?? fc.constant({}),
    body: objectOf(body) ?? fc.constant(undefined),
    ids: fc.array(anId, { minLength: row.fields.length, maxLength: row.fields.length }),
  })
  return drawn.map(({ ids, ...input }) => withIds(row, input as Input, ids))
}

/** What no address can contain is refused before there is a page. */
function countable(query: Record<string, unknown>, { properties = {} }: Schema): Record<string, unknown> {
  for (const [name, value] of Object.entries(query)) {
    const { minimum = 0, maximum = 2 ** 31 } = properties[name] ?? {}
    if (typeof value === 'number') query[name] = Math.round(Math.min(maximum, Math.max(minimum, value)))
  }
  return query
}

const placed = (row: Operation, place: Field['place']): readonly Field[] =>
  row.fields.filter((field) => field.place === place)

const textOf = (field: Field): Arbitrary<string> => {
  if (field.choices) return fc.constantFrom(...field.choices)
  return field.ref || field.offers ? anId : hostile.filter((text) => text !== '')
}

/** Objects are given by id: there is no server to look up names. */
function withIds(row: Operation, input: Input, ids: readonly string[]): Input {
  for (const [index, { ref, place, name }] of row.fields.entries()) {
    const holder = place === 'query' ? input.query : place === 'body' ? input.body : undefined
    if (ref && typeof at(holder, name) === 'string') put(holder!, name, ids[index])
  }
  return input
}
