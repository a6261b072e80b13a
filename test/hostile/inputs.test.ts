import Database from 'better-sqlite3'
import fc, { type Arbitrary } from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operationList } from '../../src/contract/index.ts'
import type { Declaration } from '../../src/contract/operation.ts'
import { arbitraryOf } from '../arbitrary.ts'
import { type Json, type Reply, TestPanel } from '../harness.ts'
import { allowed, makeWorld, pathIn, type World } from '../world.ts'

type Schema = z.core.JSONSchema.BaseSchema

let panel: TestPanel
let world: World
let onlooker: Database.Database
beforeAll(async () => {
  panel = await new TestPanel({}).start()
  world = await makeWorld(panel)
  onlooker = new Database(panel.store.sqlite.name, { readonly: true })
})
afterAll(async () => {
  onlooker.close()
  await panel.stop()
})
afterEach(async () => {
  await panel.put('/license', { valid_until: null })
  await panel.patch('/settings', { two_factor_required: 'none', password_max_age_days: null })
})

const schemaOf = (schema: z.ZodType): Schema => z.toJSONSchema(schema, { io: 'input' })

/** A value that matches a schema, of the simplest kind. */
function plain(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return plain(schema.anyOf[0] as Schema)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name))
          .map(([name, inner]) => [name, plain(inner as Schema)]),
      )
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => plain(schema.items as Schema))
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 0)
    case 'boolean':
      return true
    case 'string':
      return text(schema)
    default:
      return null
  }
}

/** A pattern usually asks for an id, a code or a word. */
function text({ pattern, format, minLength = 1, maxLength = 64 }: Schema): string {
  const candidates = ['01K9ZQ5T3M8V4X7C2B6N1D0FGH', '123456', 'a@b.example', 'word', 'x'.repeat(minLength)]
  const fits = (one: string) =>
    one.length >= minLength && one.length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(one))
  return candidates.find((one) => fits(one) && (format !== 'email' || one.includes('@'))) ?? 'x'.repeat(minLength)
}

const types = { string: 'text', number: 7, object: { odd: 1 }, array: ['odd', { odd: 1 }], boolean: true, null: null }

/** Whether any branch of a schema accepts a JSON type. */
function takes(schema: Schema, type: keyof typeof types): boolean {
  if (schema.anyOf) return schema.anyOf.some((branch) => takes(branch as Schema, type))
  const own = schema.const === null ? 'null' : (schema.type ?? typeof (schema.const ?? schema.enum?.[0]))
  return own === type || (type === 'number' && own === 'integer')
}

/** Values that do not match a schema. */
function wrong(schema: Schema): unknown[] {
  const ofType = (Object.keys(types) as (keyof typeof types)[])
    .filter((type) => !takes(schema, type))
    .map((type) => types[type])
  if (schema.anyOf || schema.const !== undefined) return ofType
  if (schema.enum) return [...ofType, 'none of them', '']
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  return [
    ...ofType,
    ...(minLength ? ['x'.repeat(minLength - 1)] : []),
    ...(maxLength !== undefined ? ['x'.repeat(maxLength + 1)] : []),
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? [minimum - 1] : []),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? [maximum + 1] : []),
    ...(schema.type === 'integer' ? [1.5, 2 ** 60] : []),
    ...(minItems ? [[]] : []),
    ...(maxItems !== undefined ? [Array(maxItems + 1).fill(plain(schema.items as Schema))] : []),
  ]
}

const send = (op: Declaration, path: string, body?: unknown): Promise<Reply> =>
  panel.send(
    op.method.toUpperCase(),
    path,
    allowed(world, op, op.raw === 'body' ? octets : body === undefined ? {} : { body: JSON.stringify(body) }),
  )

const octets = { body: 'x', headers: { 'Content-Type': 'application/octet-stream' } }

/** Increases with every commit that changes something, as seen from another connection. */
const written = (): unknown => onlooker.pragma('data_version', { simple: true })

/** Refused with this field or one inside it, and nothing was written. */
function refused(op: Declaration, reply: Reply, field: string, before: unknown, sent: unknown): void {
  const about = `${op.id} ${field} ${JSON.stringify(sent)?.slice(0, 200)}: ${JSON.stringify(reply.body)?.slice(0, 300)}`
  expect([400, 422], about).toContain(reply.status)
  const named = Object.keys((reply.body as Json).fields ?? {})
  expect(
    named.some((name) => name === field || name.startsWith(`${field}.`)),
    about,
  ).toBe(true)
  expect(written(), about).toBe(before)
}

const withBody = operationList.filter((op) => op.body && op.id !== 'getOpenApi').map((op) => [op.id, op] as const)

describe('body with one invalid field', () => {
  test.each(withBody)('refuses it, naming the field, and stores nothing: %s', async (_, op) => {
    const path = pathIn(world, op)
    if (!path) return
    const schema = schemaOf(op.body!)
    const base = plain(schema) as Record<string, unknown>
    const before = written()
    for (const [field, inner] of Object.entries(schema.properties ?? {})) {
      for (const value of wrong(inner as Schema)) {
        if (value === undefined) continue
        refused(op, await send(op, path, { ...base, [field]: value }), field, before, value)
      }
      if (!schema.required?.includes(field)) continue
      const { [field]: _missing, ...rest } = base
      refused(op, await send(op, path, rest), field, before, undefined)
    }
  })
})

const withQuery = operationList.filter((op) => op.query).map((op) => [op.id, op] as const)

/** Invalid query values: numbers that are too large are clamped. */
function wrongTexts(schema: Schema): string[] {
  const values = wrong(schema).filter((value) => ['string', 'number'].includes(typeof value))
  if (takes(schema, 'string')) return values.filter((value) => typeof value === 'string')
  const odd = ['', 'text', ' 1', '1e3', '0x1', '+1', 'null', '[]', '1.5']
  return [...odd, ...values.filter((value) => Number(value) < Number.MAX_SAFE_INTEGER).map(String)]
}

describe('query with one invalid parameter', () => {
  test.each(withQuery)('refuses it, naming the parameter, and stores nothing: %s', async (_, op) => {
    const path = pathIn(world, op)
    if (!path) return
    const before = written()
    for (const [name, inner] of Object.entries(schemaOf(op.query!).properties ?? {})) {
      for (const value of wrongTexts(inner as Schema)) {
        const reply = await send(op, `${path}?${new URLSearchParams([[name, value]])}`)
        refused(op, reply, name, before, value)
      }
      refused(op, await send(op, `${path}?${name}=1&${name}=1`), name, before, 'twice')
    }
  })
})

/** Mostly valid, with an occasional error. */
const mixed = (schema: Schema): Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: arbitraryOf(schema) }, { weight: 1, arbitrary: fc.object({ maxDepth: 3 }) })

describe('any body', () => {
  test.each(withBody)('answers with a declared response, and stores nothing when it refuses: %s', async (_, op) => {
    const path = pathIn(world, op)
    if (!path) return
    await fc.assert(
      fc.asyncProperty(mixed(schemaOf(op.body!)), async (value) => {
        await panel.settle()
        const before = written()
        const reply = await send(op, path, value)
        expect(reply.status).toBeLessThan(500)
        // A failed sign-in is counted.
        const counts = reply.status === 401 || reply.status === 403
        // Requests to the host are recorded first, whatever the host answers.
        if (reply.status >= 400 && !counts && !op.host) expect(written()).toBe(before)
        if (reply.code === 'validation') expect(Object.keys(reply.body.fields).length).toBeGreaterThan(0)
      }),
      { numRuns: 15 },
    )
  })
})
