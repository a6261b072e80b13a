import { z } from 'zod'
import { component } from '../common.ts'
import { awaitsNoEnd, type Declaration } from '../operation.ts'
import { type ProblemCode, problems } from '../problem.ts'
import { type Json, ref } from './schemas.ts'

/** The body of every error response (contract: Problem). */
export const ProblemSchema = component(
  'Problem',
  z.strictObject({
    type: z.string().describe('`{problems_base}/<code>`: match on the last segment'),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().optional(),
    fields: z.record(z.string(), z.string()).optional().describe('What is wrong, by field name'),
  }),
)

const isPublic = (op: Declaration) => op.allow === 'anyone'
const changes = (op: Declaration) => op.method !== 'get'
const byCustomer = (op: Declaration) =>
  op.allow === 'session' || (typeof op.allow === 'object' && op.allow.customer === true)
const byReseller = (op: Declaration) => typeof op.allow === 'object' && op.allow.reseller !== undefined
/** The feature `api_tokens` applies to these everywhere. */
const byAccountToken = (op: Declaration) => !isPublic(op) && op.token.account !== 'none'
const byToken = (op: Declaration) => op.allow === 'token'
const hasObject = (op: Declaration) => op.params !== undefined

/** The settings of an account have a total size. */
const growsAccount = (op: Declaration) =>
  op.job !== undefined && op.method !== 'delete' && op.path.startsWith('/accounts/{id}/')

/** Whether `Idempotency-Key` is accepted: not if the response contains a secret. */
export const isIdempotent = (op: Declaration): boolean => op.method === 'post' && !op.secret && !isPublic(op)

/** Codes independent of what the operation does, and where they can occur. */
const everywhere: readonly (readonly [ProblemCode, (op: Declaration) => boolean])[] = [
  ['validation', () => true],
  ['unauthenticated', (op) => !isPublic(op)],
  ['license-readonly', (op) => changes(op) && !op.licenseFree],
  ['csrf', (op) => changes(op) && !isPublic(op) && !byToken(op)],
  ['token-ip', (op) => !isPublic(op)],
  ['token-scope', (op) => !isPublic(op) && !byToken(op)],
  ['forbidden', (op) => !isPublic(op) && !byToken(op)],
  ['confirm-password', (op) => op.sensitive === true || op.sensitive === 'own'],
  ['feature-disabled', (op) => op.feature !== undefined || byAccountToken(op)],
  ['account-suspended', (op) => (byCustomer(op) || byReseller(op) || byToken(op)) && op.suspended !== 'allowed'],
  ['not-found', (op) => hasObject(op) || byToken(op)],
  ['busy', awaitsNoEnd],
  ['limit-reached', growsAccount],
  ['given-up', (op) => op.host === true],
  ['too-large', changes],
  ['unsupported-media-type', changes],
  ['idempotency-mismatch', isIdempotent],
  ['rate-limited', () => true],
  ['internal', () => true],
  ['overloaded', () => true],
  ['storage-full', changes],
]

const order = Object.keys(problems) as ProblemCode[]

/** Every code an operation can return, by status. */
export function problemsOf(op: Declaration): ProblemCode[] {
  const general = everywhere.filter(([, applies]) => applies(op)).map(([code]) => code)
  const codes = new Set([...general, ...(op.problems ?? []), ...Object.values(op.fieldCodes ?? {})])
  return order.filter((code) => codes.has(code))
}

const fieldOf: Partial<Record<ProblemCode, Record<string, string>>> = {
  validation: { username: 'is taken' },
  'invalid-url': { url: 'must begin with https://' },
  'invalid-events': { events: 'mail.* is not an event type or group pattern; did you mean email.*?' },
  'invalid-description': { description: 'must have at most 255 characters' },
}

const exampleOf = (code: ProblemCode): Json => ({
  type: `https://host.example:7711/problems/${code}`,
  title: problems[code].title,
  status: problems[code].status,
  ...(fieldOf[code] ? { fields: fieldOf[code] } : {}),
})

const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` })
const extraHeaders: Readonly<Record<number, Json>> = {
  401: { 'WWW-Authenticate': header('WWW-Authenticate') },
  429: { 'Retry-After': header('Retry-After') },
  503: { 'Retry-After': header('Retry-After') },
}

const describe = (code: ProblemCode) => `\`${code}\`: ${problems[code].title}`

const answer = (status: number, codes: readonly ProblemCode[]): Json => ({
  description: codes.map(describe).join('; '),
  headers: { 'X-Request-Id': header('X-Request-Id'), ...extraHeaders[status] },
  content: {
    'application/problem+json': {
      schema: ref('Problem'),
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
})

/** The names of the shared error responses, by status. */
const responseNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  416: 'RangeNotSatisfiable',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
  507: 'InsufficientStorage',
}

function nameOf(status: number): string {
  const name = responseNames[status]
  if (name === undefined) throw new Error(`status ${status} needs a name in responseNames`)
  return name
}

function byStatus(codes: readonly ProblemCode[]): Map<number, ProblemCode[]> {
  const groups = new Map<number, ProblemCode[]>()
  for (const code of codes) {
    const { status } = problems[code]
    groups.set(status, [...(groups.get(status) ?? []), code])
  }
  return groups
}

/** The operations' error responses: one component for each status; `x-panel.problems` has the codes of an operation. */
export class ProblemAnswers {
  readonly #codes = new Set<ProblemCode>()

  /** One operation's error responses, by status. */
  for(op: Declaration): Record<string, Json> {
    const codes = problemsOf(op)
    for (const code of codes) this.#codes.add(code)
    const statuses = [...byStatus(codes).keys()]
    return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]))
  }

  get answers(): Record<string, Json> {
    const groups = [...byStatus(this.#inOrder())].sort(([a], [b]) => a - b)
    return Object.fromEntries(groups.map(([status, codes]) => [nameOf(status), answer(status, codes)]))
  }

  get examples(): Record<string, Json> {
    return Object.fromEntries(this.#inOrder().map((code) => [code, { value: exampleOf(code) }]))
  }

  #inOrder(): ProblemCode[] {
    return order.filter((code) => this.#codes.has(code))
  }
}
