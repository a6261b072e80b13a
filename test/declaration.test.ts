import { expect, test } from 'vitest'
import { operationList } from '../src/contract/index.ts'
import { schemaOf } from '../src/contract/json-schema.ts'
import { operation } from '../src/contract/operation.ts'

const token = { admin: 'none', account: 'none' } as const
const cli = { words: ['spare'], examples: ['panel spare'] } as const
const spare = {
  id: 'spare',
  method: 'get',
  path: '/spare',
  area: 'accounts',
  summary: 'Spare',
  status: 204,
  allow: 'anyone',
} as const

/** Mistakes that the compiler must catch: `tsc` reports each marked line without an error. */
test('a declaration has no unknown field', () => {
  expect(operation({ ...spare, token, cli }).id).toBe('spare')
  // @ts-expect-error a misspelt field
  expect(operation({ ...spare, token, licensefree: true }).id).toBe('spare')
  // @ts-expect-error the same of its command
  expect(operation({ ...spare, token, cli: { ...cli, column: ['id'] } }).id).toBe('spare')
  // @ts-expect-error the same of its token
  expect(operation({ ...spare, token: { ...token, accounts: 'none' } }).id).toBe('spare')
})

test('a change that takes a password or a code is marked as secret, and accepts no idempotency key', () => {
  const needed = operationList.flatMap(({ id, body, secret }) => {
    const { required = [] } = body ? schemaOf(body, 'input') : {}
    return required.some((field) => /(?:^|_)(?:password|code)$/.test(field)) && !secret ? [id] : []
  })
  expect(needed).toEqual([])
})
