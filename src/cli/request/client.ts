import { readFileSync } from 'node:fs'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { reasonOf } from '../../shared/system-error.ts'
import { badAnswer, CliError, redirected, refused, speaksHttps, tooLarge, usage } from '../errors.ts'
import { pinned } from '../target/pin.ts'
import type { ServerTarget } from '../target/target.ts'
import { note } from '../terminal.ts'
import { networkError } from './network.ts'
import { patiently } from './progress-notice.ts'

export interface RequestQuery {
  readonly [name: string]: string | number | boolean | undefined
}

export interface Request {
  readonly method: string
  /** Relative to `/api/v1`. */
  readonly path: string
  readonly query?: RequestQuery
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds without a byte until it is aborted. */
  readonly timeout?: number
  /** Aborts it. */
  readonly signal?: AbortSignal
  /** How often to try if it is safe to repeat. */
  readonly attempts?: number
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface Client {
  readonly target: ServerTarget
  /** The response; throws unless it is 2xx. */
  call(request: Request): Promise<Answer>
}

export interface ClientOptions {
  readonly debug?: boolean
  /** Shows on the terminal what a slow request is waiting for. */
  readonly showWaiting?: boolean
  /** Confirms the password if a session requires it; the refused request is then repeated. */
  readonly confirmPassword?: (client: Client) => Promise<void>
}

const REPLY_TIMEOUT_MS = 60_000
/** The limit for a response that never ends. */
const MAX_REPLY_MS = 180_000
const MAX_REPLY_BYTES = 64 * 1024 * 1024
const attempts = 3
const mayPass = new Set([429, 502, 503, 504])
/** For what a read needs, and a job prepares. */
const MAX_PREPARATION_ATTEMPTS = 60
const userAgent = 'panel-cli'

/** A client for one server. Connections are kept alive, but do not keep the process alive. */
export function createClient(target: ServerTarget, options: ClientOptions = {}): Client {
  const exchange = exchangeWith(target)
  const traced = options.debug ? withTrace(exchange) : exchange
  const send = (request: Request): Promise<Answer> => {
    const { label } = target
    const waiting = { label, reads: request.method === 'GET', visible: options.showWaiting === true }
    return patiently(waiting, () => withRetries(traced, request))
  }
  const confirmed = async (request: Request): Promise<Answer> => {
    const answer = await send(request)
    if (!options.confirmPassword || !wantsPassword(answer)) return answer
    await options.confirmPassword(client)
    return send(request)
  }
  const call = async (request: Request): Promise<Answer> => {
    const answer = await confirmed(request)
    if (answer.status === 400 && saysHttps(target, answer.body)) throw speaksHttps(target)
    if (answer.status >= 400) throw refused(target, answer.status, answer.body, requestIdOf(answer))
    if (answer.status >= 300) throw redirected(target, answer.status, answer.headers.location)
    if (typeof answer.body === 'string') throw badAnswer(target)
    return answer
  }
  const client: Client = { target, call }
  return client
}

const wantsPassword = ({ status, body }: Answer): boolean =>
  status === 403 && /\/confirm-password$/.test(String((body as { type?: unknown } | undefined)?.type))

/** Whether this is the response to plain HTTP on a TLS port. */
const saysHttps = ({ url, socket }: ServerTarget, body: unknown): boolean =>
  url.protocol === 'http:' && !socket && typeof body === 'string' && /https/i.test(body)

/** Sends a request on connections of its own. */
function exchangeWith(target: ServerTarget): Exchange {
  let opened: ReturnType<typeof transportOf> | undefined
  return (request) =>
    new Promise((resolve, reject) => {
      opened ??= transportOf(target)
      const { transport, agent } = opened
      const fail = (error: Error): void => reject(networkError(error, target))
      const body = request.body === undefined ? undefined : JSON.stringify(request.body)
      const outgoing = transport.request({ agent, ...requestOptions(target, request, body) }, (incoming) => {
        readAnswer(incoming, target).then(resolve, fail)
      })
      outgoing.on('error', fail)
      giveUp(outgoing, request, fail)
      outgoing.end(body)
    })
}

/** Required, because importing these as ES modules loads far more on newer Node. */
export function transportOf(target: ServerTarget) {
  if (target.url.protocol === 'http:') {
    const http = process.getBuiltinModule('node:http')
    return { transport: http, agent: new http.Agent({ keepAlive: true }) }
  }
  const https = process.getBuiltinModule('node:https')
  const agent = new https.Agent({ keepAlive: true, ...trusted(target) })
  return { transport: https, agent: target.pin ? pinned(agent, target, target.pin) : agent }
}

export const requestOptions = (
  target: ServerTarget,
  request: Request,
  body: string | undefined,
): RequestOptions & { servername?: string } => ({
  method: request.method,
  path: pathOf(target, request),
  headers: headersOf(target, request, body),
  // Without TLS no server name is needed, and computing it takes milliseconds.
  ...(target.url.protocol === 'http:' && { servername: '' }),
  ...(target.socket
    ? { socketPath: target.socket }
    : { host: target.url.hostname.replace(/^\[|\]$/g, ''), port: portOf(target.url) }),
})

const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80')

function trusted({ ca }: ServerTarget): { ca?: Buffer } {
  if (!ca) return {}
  try {
    return { ca: readFileSync(ca) }
  } catch (error) {
    throw usage(`the certificates in ${ca} cannot be read: ${reasonOf(error)}`, 'see PANEL_CACERT')
  }
}

function headersOf(
  { token, session }: ServerTarget,
  request: Request,
  body: string | undefined,
): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(session && { cookie: `panel_${session.panel}=${session.cookie}`, 'x-csrf-token': session.csrf }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...request.headers,
  }
}

/** The path of a request, with its query. */
export function pathOf(target: ServerTarget, { path, query = {} }: Request): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
  return `${target.url.pathname}${path}${search.size > 0 ? `?${search}` : ''}`
}

/** Aborts a request, even before it has a connection. */
function giveUp(
  outgoing: ClientRequest,
  { timeout = REPLY_TIMEOUT_MS, signal }: Request,
  fail: (error: Error) => void,
): void {
  const end = (error: Error): void => {
    fail(error)
    outgoing.destroy(error)
  }
  const late = (): void => end(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }))
  const abort = (): void => end(signal?.reason)
  const last = setTimeout(late, Math.max(MAX_REPLY_MS, timeout))
  outgoing.setTimeout(timeout, late)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  outgoing.on('close', () => {
    clearTimeout(last)
    signal?.removeEventListener('abort', abort)
  })
}

export function readAnswer(incoming: IncomingMessage, target: ServerTarget): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    incoming.on('error', reject)
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_REPLY_BYTES) incoming.destroy(tooLarge(target))
      else chunks.push(chunk)
    })
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: parsed(text) })
    })
  })
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const requestIdOf = ({ headers }: Answer): string | undefined => {
  const id = headers['x-request-id']
  return typeof id === 'string' ? id : undefined
}

type Exchange = (request: Request) => Promise<Answer>

/** Traces each request, without its body and headers that may hold a secret. */
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

/** Whether it is safe to repeat. */
const repeatable = (request: Request): boolean =>
  request.method === 'GET' || request.headers?.['idempotency-key'] !== undefined

async function withRetries(exchange: Exchange, request: Request): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await exchange(request).catch((error: unknown) => error)
    const last = attempt >= (request.attempts ?? attempts) || !repeatable(request)
    if (!(outcome instanceof Error)) {
      const answer = outcome as Answer
      if (isPreparing(request, answer) && attempt < MAX_PREPARATION_ATTEMPTS) {
        await pause(retryAfter(answer, attempt))
        continue
      }
      if (last || !mayPass.has(answer.status)) return answer
      await pause(retryAfter(answer, attempt))
    } else {
      if (last || !(outcome as { reset?: true }).reset) throw outcome
      await pause(200 * attempt)
    }
  }
}

const isPreparing = ({ method }: Request, { status, headers }: Answer): boolean =>
  method === 'GET' && status === 409 && headers['retry-after'] !== undefined

function retryAfter({ headers }: Answer, attempt: number): number {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) ? Math.min(seconds, 10) * 1000 : 500 * attempt
}

/** Resolves after so many milliseconds, or when the signal aborts. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
