import type { z } from 'zod'
import type { Declaration } from '../operation.ts'
import type { Examples } from './examples.ts'
import { isIdempotent, type ProblemAnswers, problemsOf } from './problems.ts'
import type { Json, Translation } from './schemas.ts'
import { securityOf } from './security.ts'

/** What all operations' entries share. */
export interface Writing {
  readonly input: Translation
  readonly output: Translation
  readonly requests: Examples
  readonly answers: Examples
  readonly problems: ProblemAnswers
  readonly pathParameters: PathParameters
}

/** Path parameters that several operations have, each described once. */
export class PathParameters {
  readonly all: Record<string, Json> = {}

  /** A reference to the shared one, or the parameter itself where its name means something else elsewhere. */
  share(parameter: Json): Json {
    const name = String(parameter['name'])
    this.all[name] ??= parameter
    const isSame = JSON.stringify(this.all[name]) === JSON.stringify(parameter)
    return isSame ? { $ref: `#/components/parameters/${name}` } : parameter
  }
}

const sent = ['params', 'query', 'body'] as const

/** The schemas of operations' requests, by key. */
export const inputsOf = (list: readonly Declaration[]): Map<string, z.ZodType> =>
  new Map(list.flatMap((op) => sent.flatMap((part) => (op[part] ? [[`${op.id} ${part}`, op[part]] as const] : []))))

/** The schemas of operations' responses, by key. */
export const outputsOf = (list: readonly Declaration[]): Map<string, z.ZodType> =>
  new Map(list.flatMap((op) => (op.answer ? [[`${op.id} answer`, op.answer] as const] : [])))

const places = { params: 'path', query: 'query' } as const

function parameter(place: 'path' | 'query', name: string, field: Json, required: boolean): Json {
  const { description, ...schema } = field
  return { name, in: place, ...(description ? { description } : {}), ...(required ? { required } : {}), schema }
}

function parametersOf(op: Declaration, input: Translation, part: 'params' | 'query'): Json[] {
  if (op[part] === undefined) return []
  const schema = input.of(`${op.id} ${part}`)
  const required = (schema['required'] ?? []) as string[]
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  return fields.map(([name, field]) => parameter(places[part], name, field, required.includes(name)))
}

function parameters(op: Declaration, { input, pathParameters }: Writing): Json {
  const inPath = parametersOf(op, input, 'params').map((parameter) => pathParameters.share(parameter))
  const all = [...inPath, ...parametersOf(op, input, 'query')]
  if (isIdempotent(op)) all.push({ $ref: '#/components/parameters/Idempotency-Key' })
  return all.length === 0 ? {} : { parameters: all }
}

const content = (schema: Json, example: unknown): Json => ({ content: { 'application/json': { schema, example } } })

const octets: Json = { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } }

function requestBody(op: Declaration, { input, requests }: Writing): Json {
  if (op.raw === 'body') return { requestBody: { required: true, ...octets } }
  if (op.body === undefined) return {}
  const schema = input.of(`${op.id} body`)
  const required = !op.body.safeParse({}).success
  return { requestBody: { required, ...content(schema, requests.of(schema)) } }
}

const meanings: Readonly<Record<Declaration['status'], string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted; a job applies it',
  204: 'Done; no content',
  302: 'Redirect to the panel',
}

function headers(op: Declaration): Json {
  const names = ['X-Request-Id', ...(isIdempotent(op) ? ['Idempotency-Replayed'] : [])]
  const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
  return Object.fromEntries(
    op.status === 302 ? [...shared, ['Location', { $ref: '#/components/headers/Location' }]] : shared,
  )
}

function success(op: Declaration, { output, answers }: Writing): Json {
  const description = op.status === 202 && !op.job ? 'Accepted; it runs in the background' : meanings[op.status]
  if (op.raw === 'answer') return { description, headers: headers(op), ...octets }
  if (op.answer === undefined) return { description, headers: headers(op) }
  const schema = output.of(`${op.id} answer`)
  return { description, headers: headers(op), ...content(schema, answers.ofAnswer(schema, op.id)) }
}

function callers({ allow }: Declaration): Json {
  if (typeof allow === 'string') return { [allow]: true }
  return { root: true, reseller: allow.reseller ?? false, customer: allow.customer ?? false }
}

const extension = (op: Declaration): Json => ({
  callers: callers(op),
  token_areas: op.token,
  ...(op.panel ? { panel: op.panel } : {}),
  ...(op.feature ? { feature: op.feature } : {}),
  ...(op.job ? { job: op.job } : {}),
  ...(op.writes ? { writes: op.writes } : {}),
  emits: op.emits ?? [],
  problems: problemsOf(op),
})

/** The entry of one operation (OpenAPI: Operation Object). */
export const operationObject = (op: Declaration, writing: Writing): Json => ({
  operationId: op.id,
  tags: [op.area],
  summary: op.summary,
  ...(op.description ? { description: op.description } : {}),
  ...parameters(op, writing),
  ...requestBody(op, writing),
  responses: {
    ...(op.statusIfExisting && {
      [op.statusIfExisting]: { ...success(op, writing), description: 'It existed, and was changed' },
    }),
    [op.status]: success(op, writing),
    ...writing.problems.for(op),
  },
  security: securityOf(op),
  'x-panel': extension(op),
})
