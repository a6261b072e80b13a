import { expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/contract/index.ts'
import { cutLongLists } from '../../src/runtime/operations/long-lists.ts'
import { parseBody } from '../../src/runtime/operations/parse.ts'

/** An item that fails the test when it is looked at. */
const untouched = () =>
  new Proxy(
    {},
    {
      get(_, name) {
        throw new Error(`read ${String(name)}`)
      },
      ownKeys() {
        throw new Error('listed')
      },
    },
  )
const listOf = (valid: number, item: unknown) => [
  ...Array.from({ length: valid }, () => item),
  ...Array.from({ length: 1_000 }, untouched),
]
const problemOf = (op: string, body: unknown) => {
  try {
    return parseBody(operations[op as 'createToken'], body)
  } catch (error) {
    return (error as { fields: unknown }).fields
  }
}

test.each<[string, string, (list: unknown[]) => object, number, unknown, string]>([
  ['changeDnsRecords', 'delete', (list) => ({ delete: list }), 500, '01K9ZQ5T3M8V4X7C2B6N1D0FGH', ''],
  ['updateDomain', 'access', (list) => ({ access: [{ path: '/', allow: list }] }), 100, '192.0.2.1', 'item 1: allow: '],
  ['archiveFiles', 'paths', (list) => ({ paths: list, to: 'a.zip', format: 'zip' }), 1_000, 'sites', ''],
])('%s refuses a list for its length without looking at what is beyond: %s', (op, field, body, max, item, at) => {
  expect(problemOf(op, body(listOf(max + 1, item)))).toEqual({ [field]: `${at}must be at most ${max} items` })
})

test('what has no long list is passed on as it is, and what has one keeps all else', () => {
  const schema = z.strictObject({
    list: z.array(z.strictObject({ inner: z.array(z.string()).max(1).optional() })).max(2),
    either: z.union([z.string(), z.array(z.string()).max(3)]).nullable(),
  })
  for (const value of [
    undefined,
    null,
    7,
    'x',
    [],
    {},
    { list: 'x' },
    { list: [{ inner: ['a'] }, null], either: null },
  ])
    expect(cutLongLists(schema, value)).toBe(value)
  const long = JSON.parse(
    '{"list":[{"inner":["a","b","c"],"x":1},{}],"either":["a","b","c","d","e"],"__proto__":{"y":1}}',
  )
  const cut = cutLongLists(schema, long) as object
  expect(JSON.stringify(cut)).toBe(
    '{"list":[{"inner":["a","b"],"x":1},{}],"either":["a","b","c","d"],"__proto__":{"y":1}}',
  )
  expect(Object.getPrototypeOf(cut)).toBe(Object.prototype)
})
