import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Json, TestPanel } from '../harness.ts'

let panel: TestPanel
beforeAll(async () => {
  panel = await new TestPanel({}).start()
})
afterAll(() => panel.stop())

interface Answer {
  readonly status: number
  readonly body: Json
  readonly bytes: number
}

async function post(path: string, bytes: string | Buffer): Promise<Answer> {
  const init = { method: 'POST', body: bytes as never, headers: { 'Content-Type': 'application/json' } }
  const answer = await panel.panel.app.fetch(new Request(`https://host.example:7711/api/v1${path}`, init), {
    local: true,
  })
  const text = await answer.text()
  return { status: answer.status, body: JSON.parse(text), bytes: text.length }
}

const withFields = (count: number): string =>
  `{${Array.from({ length: count }, (_, place) => `"f${place}":1`).join(',')}}`

const create = (bytes: string | Buffer): Promise<Answer> => post('/accounts', bytes)
const fieldsOf = ({ body }: Answer): string[] => Object.keys(body.fields ?? {})
const accounts = () => panel.store.sqlite.prepare('SELECT count(*) FROM accounts').pluck().get()

function refused(received: Answer, ...fields: string[]): void {
  expect([received.status, fieldsOf(received)], JSON.stringify(received.body).slice(0, 300)).toEqual([400, fields])
  expect(accounts()).toBe(0)
}

test('a compressed body is refused as such', async () => {
  const init = { method: 'POST', body: gzipSync('{"username":"alice","domain":"alice.example"}') as never }
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
  const send = (path: string, own = headers, method = 'POST') =>
    panel.panel.app.fetch(new Request(`https://host.example:7711/api/v1${path}`, { ...init, method, headers: own }), {
      local: true,
    })
  const answer = await send('/accounts')
  expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity'])
  expect(((await answer.json()) as Json).type).toMatch(/unsupported-media-type$/)
  const raw = { 'Content-Type': 'application/octet-stream', 'Content-Encoding': 'gzip' }
  expect((await send('/settings/brand/logo', raw, 'PUT')).status).toBe(415)
  expect(accounts()).toBe(0)
})

describe('JSON bodies', () => {
  const lists = (depth: number) => `{"username":${'['.repeat(depth)}${']'.repeat(depth)},"domain":"a.example"}`
  const objects = (depth: number) =>
    `{"username":"alice","domain":"a.example","x":${'{"x":'.repeat(depth)}1${'}'.repeat(depth)}}`

  test('refuses JSON within 32 levels, naming the field', async () => {
    refused(await create(lists(31)), 'username')
    refused(await create(objects(31)), 'x')
  })
  test.each([32, 1000, 9_000, 45_000])('refuses JSON below %i levels before it is parsed', async (depth) => {
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    for (const body of [lists(depth), objects(Math.min(depth, 9_000))]) {
      const received = await create(body)
      refused(received, 'body')
      expect(received.body.fields.body).toBe('must not be nested deeper than 32 levels')
      expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([])
    }
  })
  test('refuses ten thousand fields, naming the first few, in a short response', async () => {
    const received = await create(withFields(10_000))
    const some = Array.from({ length: 18 }, (_, place) => `f${place}`)
    expect([received.status, fieldsOf(received)]).toEqual([400, ['username', 'domain', ...some]])
    expect(received.bytes).toBeLessThan(8192)
  })
  test('refuses more fields or values than that as a whole, before the schema', async () => {
    for (const count of [10_001, 90_000]) {
      const received = await create(withFields(count))
      expect([received.status, received.body.fields]).toEqual([
        400,
        { body: 'must not contain more than 10000 fields' },
      ])
    }
    for (const values of ['1,'.repeat(300_000), '[],'.repeat(300_000), '{},'.repeat(300_000)]) {
      const received = await create(`{"username":[${values}`)
      expect([received.status, received.body.fields]).toEqual([
        400,
        { body: 'must not contain more than 50000 values' },
      ])
    }
    expect(accounts()).toBe(0)
  })
  test('limits a caller without credentials more, and names fewer fields', async () => {
    const signIn = (bytes: string) => post('/user/auth/login', bytes)
    const many = await signIn(withFields(201))
    expect([many.status, many.body.fields]).toEqual([400, { body: 'must not contain more than 200 fields' }])
    expect(fieldsOf(await signIn(withFields(200)))).toHaveLength(20)
    const password = (length: number) => `{"username":"alice","password":"${'x'.repeat(length)}"}`
    expect((await signIn(password(16_000))).status).toBe(400)
    expect((await signIn(password(16_384))).status).toBe(413)
  })
  test('refuses a field with an endless name in a short response', async () => {
    const received = await create(`{"${'n'.repeat(1_000_000)}":1}`)
    expect([received.status, received.bytes < 8192]).toEqual([400, true])
  })
  test('refuses a number that is too large or NaN', async () => {
    refused(await create('{"username":"alice","domain":"a.example","cgi":1e999}'), 'cgi')
    refused(await create('{"username":"alice","domain":"a.example","cgi":NaN}'), 'body')
  })
  test.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString'])(
    'changes nothing for others with JSON naming %s',
    async (name) => {
      refused(await create(`{"username":"alice","domain":"a.example","${name}":{"polluted":true}}`), name)
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
      expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    },
  )
  test('refuses a nested __proto__ too', async () => {
    const received = await post('/feature-lists', '{"name":"list","features":{"__proto__":{"ssh":true}}}')
    expect([received.status, fieldsOf(received)]).toEqual([400, ['features.__proto__']])
  })
})

describe('duplicate fields, of which other parsers may use the other value', () => {
  test.each([
    ['at the top', '{"username":"alice","domain":"a.example","username":"root"}'],
    ['written otherwise', '{"username":"alice","domain":"a.example","\\u0075sername":"root"}'],
    ['further in', '{"username":"alice","domain":"a.example","x":{"a":1,"a":2}}'],
    ['in a list', '{"username":"alice","domain":"a.example","x":[{"a":1,"a":2}]}'],
    ['by an odd name', '{"username":"alice","domain":"a.example","a\\\\":1,"a\\\\":2}'],
    ['__proto__', '{"username":"alice","domain":"a.example","__proto__":1,"__proto__":2}'],
  ])('refuses a duplicate field: %s', async (_, text) => refused(await create(text), 'body'))
  test('mistakes nothing else for a duplicate field', async () => {
    const text = '{"username" : "alice", "domain":"alice.example" , "contact_email":"\\"a\\":\\"b\\"@\\u0041.example"}'
    refused(await create(text), 'contact_email')
  })
})

describe('invalid text', () => {
  const bytes = (middle: Buffer): Buffer =>
    Buffer.concat([Buffer.from('{"username":"'), middle, Buffer.from('","domain":"a.example"}')])
  test.each([
    ['a byte that begins nothing', Buffer.from([0xff])],
    ['half a character', Buffer.from([0xc3])],
    ['an overlong slash', Buffer.from([0xc0, 0xaf])],
    ['a surrogate in UTF-8', Buffer.from([0xed, 0xa0, 0x80])],
    ['beyond Unicode', Buffer.from([0xf5, 0x80, 0x80, 0x80])],
  ])('refuses invalid text in bytes: %s', async (_, middle) => refused(await create(bytes(middle)), 'body'))
  test.each(['\\ud800', '\\udc00', 'a\\ud83d', '\\udc00\\ud800', '\\u0000', 'a\\u0000b'])(
    'refuses invalid text in escapes: %s',
    async (text) => {
      refused(await create(`{"username":"alice","domain":"a.example","password":"long enough ${text}"}`), 'password')
    },
  )
  test('refuses invalid text by its field, even one with its own error code', async () => {
    const received = await post('/webhooks', '{"url":"https://hooks.example/","description":"a\\u0000"}')
    expect([received.status, received.body.type.split('/').at(-1), fieldsOf(received)]).toEqual([
      422,
      'invalid-description',
      ['description'],
    ])
    const list = await post('/webhooks', '{"url":"https://hooks.example/","events":["\\ud800"]}')
    expect([list.status, list.body.type.split('/').at(-1), fieldsOf(list)]).toEqual([422, 'invalid-events', ['events']])
  })
  test('accepts a surrogate pair, and anything non-ASCII, as text', async () => {
    const received = await post(
      '/webhooks',
      '{"url":"https://hooks.example/","description":"Größe \\ud83d\\ude00 日本"}',
    )
    expect([received.status, received.body.webhook.description]).toEqual([201, 'Größe 😀 日本'])
  })
  test('refuses JSON in UTF-16, or after a byte order mark', async () => {
    refused(await create(Buffer.from('\ufeff{"username":"alice"}', 'utf16le')), 'body')
  })
})
