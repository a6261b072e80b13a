import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { accountAreas, adminAreas } from '../src/contract/common.ts'
import { eventTypes } from '../src/contract/events.ts'
import { operationList } from '../src/contract/index.ts'
import { areaSets, type Declaration, isOfAccount } from '../src/contract/operation.ts'
import { problems } from '../src/contract/problem.ts'
import { arbitraryOf } from './arbitrary.ts'
import { type Reply, type Send, TestPanel } from './harness.ts'
import { addPasskeys, allowed, makeWorld, namesObject, pathIn, pathWith, unknown, type World } from './world.ts'

/** What no operation can create: a session of root, which signs in by password. Tests that need its object leave it out. */
const absent = ['endSession']
const hasObjects = ([, op]: readonly [string, Declaration]): boolean => !absent.includes(op.id)

const changes = (op: Declaration): boolean => op.method !== 'get'
const isPublic = (op: Declaration): boolean => op.allow === 'anyone'
const params = (op: Declaration): number => [...op.path.matchAll(/\{/g)].length
const named = (ops: readonly Declaration[]) => ops.map((op) => [op.id, op] as const)
const all = named(operationList)
const guarded = named(operationList.filter((op) => !isPublic(op)))
const changing = named(operationList.filter(changes))
/** What is called without the token that a link carries. */
const byAnyone = all.filter(([, op]) => op.allow !== 'token').filter(hasObjects)
/** Operations with a JSON body. */
const inJson = changing.filter(([, op]) => op.raw !== 'body')
const withParams = named(operationList.filter((op) => params(op) > 0))

let panel: TestPanel
let world: World

beforeAll(async () => {
  panel = await new TestPanel({}).start()
  world = await makeWorld(panel)
  await addPasskeys(panel, world)
})
afterAll(() => panel.stop())

const send = (op: Declaration, path: string, options: Send = {}): Promise<Reply> =>
  panel.send(op.method.toUpperCase(), path, options)

/** The path to existing objects, or to those that do not exist for operations without any. */
const there = (op: Declaration): string => pathIn(world, op) ?? pathWith(op, [world.alice.id])

/** The path to existing objects. */
function existing(op: Declaration): string {
  const path = pathIn(world, op)
  if (path === undefined) throw new Error(`there is no object for ${op.path}`)
  return path
}

const ask = (op: Declaration, path: string, options: Send = {}): Promise<Reply> =>
  send(op, path, allowed(world, op, options))

function refused(reply: Reply, status: number, code: string): void {
  expect([reply.status, reply.code], JSON.stringify(reply.body)).toEqual([status, code])
  expect(reply.headers.get('content-type')).toBe('application/problem+json')
  expect(reply.headers.get('x-request-id')).toMatch(/^[0-9A-Z]{26}$/)
  expect(reply.body).toMatchObject({ type: `https://host.example:7711/problems/${code}`, status })
}

const octets = { body: 'x', headers: { 'Content-Type': 'application/octet-stream' } }

const fieldsOf = (reply: Reply): string[] => Object.keys(reply.body.fields ?? {})

test('there is one of each kind of object, or the tests below would prove nothing', () => {
  const without = operationList.filter((op) => pathIn(world, op) === undefined).map(({ id }) => id)
  expect(without.sort()).toEqual(absent)
})

describe('calls without credentials', () => {
  test.each(guarded)('refuses %s', async (_, op) => {
    const reply = await send(op, there(op), { from: '192.0.2.1' })
    refused(reply, 401, 'unauthenticated')
    expect(reply.headers.get('www-authenticate')).toBe('Bearer')
  })
})

describe('invalid bearer token', () => {
  test.each(guarded)('answers 401 and never falls back to the socket: %s', async (_, op) => {
    const reply = await send(op, there(op), { headers: { Authorization: 'Bearer nonsense' } })
    refused(reply, 401, 'unauthenticated')
  })
})

describe('token without the area', () => {
  const areas = (op: Declaration) => op.token.admin
  const otherAdminAreas = (op: Declaration) => adminAreas.filter((area) => ![areas(op)].flat().includes(area))
  const otherAccountAreas = (op: Declaration) =>
    accountAreas.filter((area) => !areaSets(op.token.account)?.some(([first]) => first === area))
  const byAdmin = guarded.filter(([, op]) => Array.isArray(areas(op)) && otherAdminAreas(op).length > 0)
  test.each(byAdmin)('refuses %s by an admin token without the area', async (_, op) => {
    const others = otherAdminAreas(op)
    const token = await panel.token(others.map((area) => `${area}:write`))
    refused(await send(op, there(op), { token }), 403, 'token-scope')
  })

  const byAccount = guarded.filter(
    ([, op]) => op.token.account !== 'none' && op.token.account !== 'any' && otherAccountAreas(op).length > 0,
  )
  // An account has a limited number of tokens.
  const accountTokens = new Map<string, Promise<string>>()
  const accountToken = (scopes: string[]): Promise<string> => {
    const token = accountTokens.get(scopes.join()) ?? panel.token(scopes, { account: world.alice.id })
    accountTokens.set(scopes.join(), token)
    return token
  }
  test.each(byAccount)('refuses %s by an account token without the area', async (_, op) => {
    const token = await accountToken(otherAccountAreas(op).map((area) => `${area}:write`))
    refused(await send(op, there(op), { token }), 403, 'token-scope')
  })

  test.each(guarded.filter(([, op]) => areas(op) === 'none'))(
    'refuses %s by any token, one with full access too',
    async (_, op) => {
      const token = await panel.token(['full-access'])
      refused(await send(op, there(op), { token }), 403, 'token-scope')
    },
  )
})

describe('token that may only read', () => {
  const reachable = guarded.filter(([, op]) => changes(op) && op.token.admin !== 'any')
  test.each(reachable)('refuses %s by a token that may only read', async (_, op) => {
    refused(await send(op, there(op), { token: world.secrets.reading }), 403, 'token-scope')
    const areas = adminAreas.map((area) => `${area}:read`)
    refused(await send(op, there(op), { token: await panel.token(areas) }), 403, 'token-scope')
  })
  test.each(reachable.filter(([, op]) => op.path.startsWith('/accounts/{id}')))(
    'refuses %s by an account token that may only read',
    async (_, op) => {
      refused(await send(op, there(op), { token: world.secrets.ownReading }), 403, 'token-scope')
    },
  )
})

describe('account token and another account', () => {
  const elsewhere = guarded.filter(([, op]) => op.token.account !== 'any')
  test.each(elsewhere)('refuses %s with the token of another account', async (_, op) => {
    refused(await send(op, there(op), { token: world.secrets.other }), 403, 'token-scope')
  })
})

describe('objects that are unknown or of another tenant', () => {
  const withObjects = withParams.filter(([, op]) => !isPublic(op) && op.allow !== 'token')
  test.each(withObjects)('answers 404 for an unknown object: %s', async (_, op) => {
    refused(await ask(op, pathWith(op, [])), 404, 'not-found')
    if (params(op) > 1) refused(await ask(op, pathWith(op, [world.alice.id])), 404, 'not-found')
  })
  const byReseller = withObjects.filter(([, op]) => typeof op.allow === 'object' && op.allow.reseller)
  const byToken = byReseller.filter(
    ([, op]) => op.token.admin !== 'none' && op.path !== '/packages/{id}' && namesObject(op),
  )
  test.each(byToken)('answers 404 for %s by a reseller that does not own it', async (_, op) => {
    const token = world.secrets.reseller
    const [theirs, nobodys] = [await send(op, there(op), { token }), await send(op, pathWith(op, []), { token })]
    refused(theirs, 404, 'not-found')
    expect(theirs.body).toEqual(nobodys.body)
  })
  test.each(withObjects.filter(([, op]) => params(op) > 1 && op.path.startsWith('/accounts/')))(
    "answers 404 for %s below another account's path",
    async (_, op) => {
      refused(await send(op, existing(op).replace(world.alice.id, world.bob.id)), 404, 'not-found')
    },
  )
})

describe('unknown input', () => {
  test.each(inJson.filter(hasObjects))('refuses %s with an unknown field, naming it', async (_, op) => {
    for (const field of ['unexpected', 'constructor', '__proto__']) {
      const reply = await ask(op, existing(op), { body: `{"${field}": 1}` })
      refused(reply, 400, 'validation')
      expect(fieldsOf(reply)).toContain(field)
    }
  })
  test.each(byAnyone)('refuses %s with an unknown parameter, naming it', async (_, op) => {
    for (const name of ['unexpected', '__proto__']) {
      const reply = await ask(op, `${existing(op)}?${name}=1`, op.raw === 'body' ? octets : {})
      refused(reply, 400, 'validation')
      expect(fieldsOf(reply)).toContain(name)
    }
  })
})

describe('raw bodies', () => {
  test.each(changing.filter(([, op]) => op.raw === 'body').filter(hasObjects))(
    'accepts only bytes as the body of %s',
    async (_, op) => {
      const path = existing(op)
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
        refused(await ask(op, path, { body: 'x', headers: { 'Content-Type': type } }), 415, 'unsupported-media-type')
      const headers = { ...octets.headers, 'Content-Length': String((op.maxBytes ?? 0) + 1) }
      if (op.maxBytes) refused(await ask(op, path, { body: 'x', headers }), 413, 'too-large')
    },
  )
})

describe('JSON bodies', () => {
  const hugeLength = { 'Content-Length': `${10 * 1024 * 1024 + 1}` }
  const deep = `{"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}`
  const bodies: readonly [string, string, Record<string, string>, number, string][] = [
    ['a form', 'a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415, 'unsupported-media-type'],
    ['JSON by another name', '{}', { 'Content-Type': 'text/json' }, 415, 'unsupported-media-type'],
    ['an array', '[]', {}, 400, 'validation'],
    ['a text', '"text"', {}, 400, 'validation'],
    ['null', 'null', {}, 400, 'validation'],
    ['malformed JSON', '{"a":', {}, 400, 'validation'],
    ['what is nested without end', deep, {}, 400, 'validation'],
    ['two values', '{}{}', {}, 400, 'validation'],
    ['what is declared too large', '{}', { 'Content-Length': '1048577' }, 413, 'too-large'],
  ]
  test.each(inJson.filter(hasObjects))('accepts only a JSON object or nothing as the body of %s', async (_, op) => {
    const path = existing(op)
    for (const [, body, headers, status, code] of op.room ? bodies.slice(0, -1) : bodies)
      refused(await ask(op, path, { body, headers }), status, code)
    if (op.room) refused(await ask(op, path, { body: '{}', headers: hugeLength }), 413, 'too-large')
    else refused(await ask(op, path, { body: large }), 413, 'too-large')
  })
  const large = JSON.stringify({ text: 'x'.repeat(1024 * 1024) })
})

describe('routes', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const paths = new Map<string, Set<string>>()
  for (const op of operationList) paths.set(op.path, (paths.get(op.path) ?? new Set()).add(op.method.toUpperCase()))

  test.each([...paths])('%s allows only its methods, for every caller', async (path, known) => {
    const url = path.replace(/\{\w+\}/g, unknown)
    for (const method of methods.filter((name) => !known.has(name))) {
      const reply = await panel.send(method, url, { from: '192.0.2.1' })
      refused(reply, 405, 'method-not-allowed')
      const allowed = reply.headers.get('allow')!.split(', ').sort()
      expect(allowed).toEqual([...known, ...(known.has('GET') ? ['HEAD'] : [])].sort())
    }
  })
  test.each(withParams)('%s accepts only ULIDs', async (_, op) => {
    for (const id of ['alice', unknown.toLowerCase(), `${unknown}0`, '8'.repeat(26), '%00']) {
      const path = pathWith(op, Array(params(op)).fill(id))
      refused(await send(op, path, { from: '192.0.2.1' }), 401, 'unauthenticated')
      refused(await ask(op, path), 404, 'not-found')
    }
  })
  test.each(byAnyone.filter(([, op]) => op.method === 'get'))(
    '%s answers HEAD like GET, without a body',
    async (_, op) => {
      const options = allowed(world, op)
      const head = await panel.send('HEAD', existing(op), options)
      expect(head.body).toBe('')
      if (op.consumes) return expect(head.status).toBe(405)
      const get = await panel.send('GET', existing(op), options)
      expect([head.status, head.headers.get('content-type')]).toEqual([get.status, get.headers.get('content-type')])
    },
  )
  test('an unknown path is not found, for every caller', async () => {
    for (const path of ['/nothing', '/accounts/', '/api/v1', '/api/v2/accounts', '//accounts', '/ACCOUNTS'])
      for (const method of methods) refused(await panel.send(method, path, { from: '192.0.2.1' }), 404, 'not-found')
  })
})

describe('input that a schema describes', () => {
  afterEach(async () => {
    await panel.put('/license', { valid_until: null })
    await panel.patch('/settings', { two_factor_required: 'none' })
  })
  test.each(changing.filter(([, op]) => op.body).filter(hasObjects))('causes no internal error: %s', async (_, op) => {
    const path = existing(op)
    const body = arbitraryOf(z.toJSONSchema(op.body!, { io: 'input' }))
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        const reply = await ask(op, path, { body: JSON.stringify(value) })
        expect(reply.status).toBeLessThan(500)
      }),
      { numRuns: 15 },
    )
  })
  test.each(all.filter(([, op]) => op.query).filter(hasObjects))(
    'causes no internal error with any query: %s',
    async (_, op) => {
      const path = existing(op)
      const values = Object.fromEntries(
        Object.keys(op.query!.shape).map((name) => [name, fc.string({ unit: 'binary' })]),
      )
      await fc.assert(
        fc.asyncProperty(fc.record(values, { requiredKeys: [] }), async (query) => {
          const { wait: _wait, ...rest } = query
          const reply = await ask(op, `${path}?${new URLSearchParams(rest as never)}`)
          // It may name a node that a random body created, which never connects.
          if (reply.code !== 'overloaded') expect(reply.status).toBeLessThan(500)
        }),
        { numRuns: 15 },
      )
    },
  )
})

describe('declarations', () => {
  test('words of commands are unique, with their variant', () => {
    const words = operationList.flatMap(({ cli }) => (cli ? [`${cli.words.join(' ')} ${cli.variant ?? ''}`] : []))
    expect(new Set(words).size).toBe(words.length)
  })
  test("an account's command is below its path, with a server command of the same words or without", () => {
    for (const op of operationList) if (op.cli?.variant) expect(isOfAccount(op), op.id).toBe(true)
  })
  test('operation ids and routes are unique', () => {
    const routes = operationList.map((op) => `${op.method} ${op.path.replace(/\{\w+\}/g, '{}')}`)
    expect(new Set(routes).size).toBe(routes.length)
    expect(new Set(operationList.map(({ id }) => id)).size).toBe(operationList.length)
  })
  test('static paths come before parameters', () => {
    for (const [place, op] of operationList.entries()) {
      const pattern = new RegExp(`^${op.path.replace(/\{\w+\}/g, '[^/{}]+')}$`)
      const shadowed = operationList.slice(place + 1).filter((later) => later.method === op.method)
      expect(shadowed.filter((later) => later.path !== op.path && pattern.test(later.path))).toEqual([])
    }
  })

  describe.each(all)('declaration of %s', (_, op) => {
    test('names columns and shown fields that are in its response', () => {
      const { columns = [], show, rows = 'items' } = op.cli ?? {}
      const schema = op.answer && z.toJSONSchema(op.answer, { io: 'input' })
      const visible = show === undefined ? schema : field(schema, show)
      if (show !== undefined) expect(visible, show).toBeDefined()
      // What the command line makes of `before` and `after` stands for both.
      for (const column of columns.map((name) => (name === 'changes' ? 'before' : name))) {
        const item = (field(visible, rows)?.items as Schema) ?? (visible?.items as Schema) ?? visible
        expect(column.split('.').reduce(within, item), column).toBeDefined()
      }
    })
    const { cli } = op
    if (cli)
      test('shows its own commands as examples', () => {
        const { words, examples, variant, verbs } = cli
        const lasts = verbs?.values ?? words.slice(-1)
        const starts = lasts.map((last) => ['panel', ...words.slice(0, -1), last].join(' '))
        expect(examples.length).toBeGreaterThan(0)
        for (const example of examples)
          expect(
            starts.some((start) => `${example} `.startsWith(`${start} `)),
            example,
          ).toBe(true)
        const ofServer = operationList.some(({ cli }) => cli && !cli.variant && cli.words.join(' ') === words.join(' '))
        if (variant && ofServer) for (const example of examples) expect(example).toContain('--account ')
      })
    test('names known events and problems, and parameters that are in its path', () => {
      for (const type of op.emits ?? []) expect(eventTypes).toContain(type)
      for (const code of op.problems ?? []) expect(Object.keys(problems)).toContain(code)
      const names = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(Object.keys(op.params?.shape ?? {}).sort()).toEqual(names.sort())
      for (const arg of op.cli?.args ?? [])
        expect([...names, ...Object.keys(op.body?.shape ?? {}), ...Object.keys(op.query?.shape ?? {})]).toContain(arg)
    })
    test('reports the result of its job', () => {
      if (op.job) expect(op.emits).toEqual(expect.arrayContaining(['job.completed', 'job.failed']))
    })
    test('takes strict input', () => {
      for (const part of [op.params, op.query, op.body])
        if (part) expect(z.toJSONSchema(part, { io: 'input' })['additionalProperties']).toBe(false)
    })
  })
})

type Schema = z.core.JSONSchema.BaseSchema | undefined

/** The schema of a field, looked for in every branch. */
/** A column reaches into each object of a list. */
const within = (schema: Schema, name: string): Schema =>
  field(schema?.type === 'array' ? (schema.items as Schema) : schema, name)

function field(schema: Schema, name: string): Schema {
  if (!schema) return undefined
  const direct = schema.properties?.[name] ?? (schema.type === 'object' ? schema.additionalProperties : undefined)
  if (typeof direct === 'object') return direct as Schema
  for (const branch of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    const found = field(branch as Schema, name)
    if (found) return found
  }
  return undefined
}
