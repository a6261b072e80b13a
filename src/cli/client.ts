import { readFileSync } from 'node:fs'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { CliError, refused, usage } from './errors.ts'
import { networkError } from './network.ts'
import type { Target } from './profile.ts'
import { note } from './terminal.ts'

export interface Query {
  readonly [name: string]: string | number | boolean | undefined
}

export interface Request {
  readonly method: string
  /** Below `/api/v1`. */
  readonly path: string
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds without a byte before it is given up. */
  readonly timeout?: number
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface Client {
  readonly target: Target
  /** The answer, or an error where it is not 2xx. */
  call(request: Request): Promise<Answer>
}

export interface ClientOptions {
  readonly debug?: boolean
}

const patience = 60_000
const attempts = 3
const mayPass = new Set([429, 502, 503, 504])
const userAgent = 'panel-cli'

/** A client of one server. Connections are kept while the process lives, and do not keep it alive. */
export function createClient(target: Target, options: ClientOptions = {}): Client {
  const exchange = exchangeWith(target)
  const traced = options.debug ? withTrace(exchange) : exchange
  const call = async (request: Request): Promise<Answer> => {
    const answer = await withRetries(traced, request)
    if (answer.status >= 300) throw refused(answer.status, answer.body, requestIdOf(answer))
    return answer
  }
  return { target, call }
}

/** One request and its answer, over connections of its own. */
function exchangeWith(target: Target): Exchange {
  // Imported as ECMAScript modules, these two load far more than they need on newer Node.
  const transport = process.getBuiltinModule(target.url.protocol === 'https:' ? 'node:https' : 'node:http')
  const agent = new transport.Agent({ keepAlive: true, ...trusted(target) })
  return (request) =>
    new Promise((resolve, reject) => {
      const body = request.body === undefined ? undefined : JSON.stringify(request.body)
      const outgoing = transport.request({ agent, ...requestOptions(target, request, body) }, (incoming) => {
        readAnswer(incoming).then(resolve, (error) => reject(networkError(error, target)))
      })
      outgoing.on('error', (error) => reject(networkError(error, target)))
      giveUpAfter(outgoing, request.timeout ?? patience)
      outgoing.end(body)
    })
}

const requestOptions = (
  target: Target,
  request: Request,
  body: string | undefined,
): RequestOptions & { servername?: string } => ({
  method: request.method,
  path: pathOf(target, request),
  headers: headersOf(target, request, body),
  // Without TLS no server name is needed, and working it out costs milliseconds.
  ...(target.url.protocol === 'http:' && { servername: '' }),
  ...(target.socket
    ? { socketPath: target.socket }
    : { host: target.url.hostname.replace(/^\[|\]$/g, ''), port: portOf(target.url) }),
})

const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80')

function trusted({ ca }: Target): { ca?: Buffer } {
  if (!ca) return {}
  try {
    return { ca: readFileSync(ca) }
  } catch (error) {
    throw usage(`the certificates in ${ca} cannot be read: ${(error as Error).message}`, 'see PANEL_CACERT')
  }
}

function headersOf({ token }: Target, request: Request, body: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...request.headers,
  }
}

/** The path of a request, with its query. */
export function pathOf(target: Target, { path, query = {} }: Request): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
  return `${target.url.pathname}${path}${search.size > 0 ? `?${search}` : ''}`
}

function giveUpAfter(outgoing: ClientRequest, milliseconds: number): void {
  outgoing.setTimeout(milliseconds, () => outgoing.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
}

async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: parsed(text) }
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const requestIdOf = ({ headers }: Answer): string | undefined => {
  const id = headers['x-request-id']
  return typeof id === 'string' ? id : undefined
}

type Exchange = (request: Request) => Promise<Answer>

/** Shows each request; never its body, nor headers that may hold a secret. */
function withTrace(exchange: Exchange): Exchange {
  return async (request) => {
    const start = performance.now()
    const line = (outcome: string): void =>
      note(`debug: ${request.method} ${request.path} ${outcome} ${Math.round(performance.now() - start)} ms`)
    try {
      const answer = await exchange(request)
      line(`${answer.status} ${requestIdOf(answer) ?? '-'}`)
      return answer
    } catch (error) {
      line(error instanceof CliError ? error.problem.title : String(error))
      throw error
    }
  }
}

/** Whether sending it again cannot do it twice. */
const repeatable = (request: Request): boolean =>
  request.method === 'GET' || request.headers?.['idempotency-key'] !== undefined

async function withRetries(exchange: Exchange, request: Request): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await exchange(request).catch((error: unknown) => error)
    const last = attempt === attempts || !repeatable(request)
    if (!(outcome instanceof Error)) {
      const answer = outcome as Answer
      if (last || !mayPass.has(answer.status)) return answer
      await pause(retryAfter(answer, attempt))
    } else {
      if (last || !(outcome as { reset?: true }).reset) throw outcome
      await pause(200 * attempt)
    }
  }
}

function retryAfter({ headers }: Answer, attempt: number): number {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) ? Math.min(seconds, 10) * 1000 : 500 * attempt
}

/** Resolves after so many milliseconds, or as soon as the signal comes. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
