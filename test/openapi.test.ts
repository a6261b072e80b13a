import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { component } from '../src/contract/common.ts'
import { eventTypes, webhookBody } from '../src/contract/events.ts'
import { operationList } from '../src/contract/index.ts'
import { ProblemSchema } from '../src/contract/openapi/problems.ts'
import { join, translate } from '../src/contract/openapi/schemas.ts'
import { openapi } from '../src/contract/openapi.ts'
import { type ProblemCode, problems } from '../src/contract/problem.ts'
import { version } from '../src/contract/version.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
type Any = any
const document = openapi() as Any
const entryOf = (op: { path: string; method: string }) => document.paths[op.path][op.method]
const json = (holder: Any) => holder.content['application/json']
const resolve = (value: Any): Any =>
  value.$ref
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((at: Any, key: string) => at[key], document)
    : value

function examplesOf(status: number, answer: Any): string[] {
  const { schema, examples } = answer.content['application/problem+json']
  expect(schema.$ref).toBe('#/components/schemas/Problem')
  for (const example of Object.values(examples)) expect(resolve(example).value.status).toBe(status)
  return Object.keys(examples)
}

function* objectsIn(value: Any, path = '#'): Generator<[string, Any]> {
  if (typeof value !== 'object' || value === null) return
  if (value.type === 'object' && value.properties) yield [path, value]
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${key}`)
}

describe.each(operationList.map((op) => [op.id, op] as const))('operation %s', (_id, op) => {
  const entry = entryOf(op)

  it('describes the operation', () => {
    expect(entry.operationId).toBe(op.id)
    expect(document.tags.map((tag: Any) => tag.name)).toContain(entry.tags[0])
    expect(entry.responses[op.status].headers).toHaveProperty('X-Request-Id')
  })

  it('declares a parameter for each one of its path', () => {
    const inPath = (entry.parameters ?? []).map(resolve).filter((parameter: Any) => parameter.in === 'path')
    const names = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(inPath.map((parameter: Any) => parameter.name)).toEqual(names)
    for (const parameter of inPath) expect(parameter).toMatchObject({ required: true, schema: { type: 'string' } })
  })

  it('gives valid examples of its body and its response', () => {
    const isBytes = (input: unknown) => Object.keys((input as { content: object }).content)
    if (op.raw === 'body') expect(isBytes(entry.requestBody)).toEqual(['application/octet-stream'])
    else if (op.body) expect(op.body.safeParse(json(entry.requestBody).example).error).toBeUndefined()
    else expect(entry.requestBody).toBeUndefined()
    const answer = entry.responses[op.status]
    if (op.raw === 'answer') expect(isBytes(answer)).toEqual(['application/octet-stream'])
    else if (op.answer) expect(op.answer.safeParse(json(answer).example).error).toBeUndefined()
    else expect(answer.content).toBeUndefined()
  })

  it('gives a response, with an example, for every problem it names', () => {
    const codes: string[] = entry['x-panel'].problems
    const answers = Object.entries(entry.responses).filter(([status]) => Number(status) >= 400)
    const examples = new Set(answers.flatMap(([status, answer]) => examplesOf(Number(status), resolve(answer))))
    expect(codes.filter((code) => !examples.has(code))).toEqual([])
    const statuses = codes.map((code) => String(problems[code as ProblemCode].status))
    expect(answers.map(([status]) => status).sort()).toEqual([...new Set(statuses)].sort())
    expect(codes).toEqual(expect.arrayContaining([...(op.problems ?? [])]))
  })

  it('accepts an idempotency key unless its response contains a secret', () => {
    const takes = JSON.stringify(entry.parameters ?? []).includes('/Idempotency-Key')
    expect(takes).toBe(op.method === 'post' && !op.secret && op.allow !== 'anyone')
  })
})

describe('schemas', () => {
  it('rejects unknown fields, in requests and responses', () => {
    const open = [...objectsIn(document)].filter(([, schema]) => schema.additionalProperties !== false)
    expect(open.map(([path]) => path)).toEqual([
      '#/components/schemas/Event/properties/data',
      '#/components/schemas/Event/properties/data/properties/details',
    ])
  })

  it('requires no field that has a default', () => {
    const { parameters } = entryOf({ path: '/accounts', method: 'get' })
    const page = parameters.find((parameter: Any) => parameter.name === 'page')
    expect(page).toMatchObject({ in: 'query', schema: { type: 'integer', default: 1, minimum: 1 } })
    expect(page.required).toBeUndefined()
    const body = translate(new Map([['body', z.strictObject({ size: z.int().default(1), name: z.string() })]]), 'input')
    expect(body.of('body')['required']).toEqual(['name'])
  })

  it('rejects a second schema of the same name', () => {
    expect(() => component('Account', z.string())).toThrow('two schemas are named Account')
  })

  it('requires schemas to mean the same in requests and responses', () => {
    expect(() => join({ Size: { type: 'string' } }, { Size: { type: 'integer' } })).toThrow('Size differs')
  })

  it('refuses schemas that contain themselves without a name', () => {
    expect(() => translate(new Map([['loop', z.strictObject({ any: z.json() })]]), 'output')).toThrow('contains itself')
  })
})

describe('problems', () => {
  it.each(Object.entries(document.components.examples as Any))('gives a valid example of %s', (code, example: Any) => {
    expect(ProblemSchema.parse(example.value)).toMatchObject({
      type: expect.stringMatching(new RegExp(`/problems/${code}$`)),
      status: problems[code as keyof typeof problems].status,
    })
  })
})

describe('webhooks', () => {
  it('describes all 48 event types, and the four of nodes', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventTypes)
    expect(eventTypes.filter((type) => !type.startsWith('node.'))).toHaveLength(48)
    expect(eventTypes).toHaveLength(52)
  })

  it.each(eventTypes)('gives a valid example of %s', (type) => {
    const { post } = document.webhooks[type]
    expect(webhookBody(type).safeParse(json(post.requestBody).example).error).toBeUndefined()
    const headers = post.parameters.map((parameter: Any) => resolve(parameter).name)
    expect(headers).toEqual(
      expect.arrayContaining(['X-Panel-Event', 'X-Panel-Delivery', 'X-Panel-Timestamp', 'X-Panel-Signature']),
    )
  })
})

describe('document', () => {
  it('states the version of the package', () => {
    expect(version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
    expect(document.info.version).toBe(version)
  })

  it('names the server it describes', () => {
    const base = 'https://host.example:7711/api/v1'
    expect(openapi({ server: base })['servers']).toEqual([{ url: base }])
  })

  it('generates the same document each time', () => {
    expect(JSON.stringify(openapi())).toBe(JSON.stringify(document))
  })
})
