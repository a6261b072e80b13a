import type { Readable } from 'node:stream'
import { Hono } from 'hono'
import { handlers } from '../areas/index.ts'
import { isId } from '../contract/common.ts'
import { type OperationId, operationList } from '../contract/index.ts'
import { type Declaration, pathChoices } from '../contract/operation.ts'
import { overloaded, Problem } from '../contract/problem.ts'
import { type Answer, type Call, type Handler, type HostHandler, run } from '../runtime/operations/run.ts'
import { ulid } from '../shared/patterns.ts'
import { follow } from '../shared/until-any.ts'
import { webStream } from '../shared/web-stream.ts'
import { AGENT_HEADER, agentUseIn, runForAgent } from './agent-call.ts'
import { authenticate } from './authenticate.ts'
import { rawBody, readBody, roomOf } from './body.ts'
import { callerOf, isSecure } from './caller.ts'
import { withPrefixedCookies } from './cookies.ts'
import { discardRest, leaveUnread } from './discard-body.ts'
import type { C, Environment } from './environment.ts'
import { headersOf, securityHeaders } from './headers.ts'
import { refuseUnlessServed, serveMcp } from './mcp.ts'
import { metricsFor, readMetrics } from './metrics.ts'
import { superseded } from './notify-replaced.ts'
import { exchangeGrant, registerClient, revokeGrant, showAuthorizationServer, showResource } from './oauth.ts'
import type { AppOptions } from './options.ts'
import { problemOf } from './problem.ts'
import { lateScreens, type Web } from './screens.ts'

const base = '/api/v1'

/** Creates the routes from the contract. */
export function createApp(options: AppOptions): Hono<{ Bindings: Environment }> {
  const app = new Hono<{ Bindings: Environment }>()
  const web = lateScreens(options)
  for (const op of operationList) {
    const path = base + op.path.replace(/\{(\w+)\}/g, ':$1')
    app.on(op.method.toUpperCase(), path, (c) => serveOperation(c, op, options, web))
  }
  app.get('/healthz', () => health(options))
  app.all('/mcp', (c) => serveMcp(c, options))
  for (const path of ['', '/mcp'])
    app.get(`/.well-known/oauth-protected-resource${path}`, (c) => showResource(c, options))
  app.get('/.well-known/oauth-authorization-server', (c) => showAuthorizationServer(c, options))
  app.post('/oauth/register', (c) => registerClient(c, options))
  app.post('/oauth/token', (c) => exchangeGrant(c, options))
  app.post('/oauth/revoke', (c) => revokeGrant(c, options))
  app.get('/metrics', (c) => showMetrics(c, options))
  app.post('/superseded', (c) => hearSuccessor(c, options))
  const page = async (c: C): Promise<Response> => {
    const response = await (await web()).routes.fetch(c.req.raw, c.env)
    // Only forms start and end sessions.
    return c.req.method === 'POST' && isSecure(c, options) ? withPrefixedCookies(response) : response
  }
  app.on('GET', ['/assets/*', '/docs', '/problems/:code'], page)
  app.on(['GET', 'POST'], ['/', '/forgot-password', '/reset-password'], page)
  app.on(['GET', 'POST'], '/oauth/authorize', (c) => {
    refuseUnlessServed(options)
    return page(c)
  })
  for (const panel of ['admin', 'user']) app.all(`/${panel}/*`, page)
  app.notFound((c) => {
    leaveUnread(c.env)
    return wantsPage(c) && !c.req.path.startsWith(base)
      ? showError(web, c, missing(c))
      : answerProblem(c, options, missing(c), options.runtime.id())
  })
  app.onError((error, c) => {
    leaveUnread(c.env)
    const id = options.runtime.id()
    const problem = problemOf(error, options.runtime.log, id)
    return wantsPage(c) ? showError(web, c, problem) : answerProblem(c, options, problem, id)
  })
  return app
}

/** Synchronous operations respond in the same turn: promises would cost more than the work. */
function serveOperation(
  c: C,
  op: Declaration,
  options: AppOptions,
  web: () => Promise<Web>,
): Response | Promise<Response> {
  const { runtime } = options
  const requestId = runtime.id()
  const began = performance.now()
  const ended = (status: number): void => {
    const ms = Math.round((performance.now() - began) * 10) / 10
    options.requests.record(op.id, status, ms)
    if (c.env.own) return
    runtime.log.info({ request_id: requestId, operation: op.id, status, ms, local: c.env.local === true }, 'request')
  }
  const answered = (answer: Answer): Response => {
    if (c.req.header(AGENT_HEADER) === undefined) options.observe?.(op, answer)
    ended(answer.status)
    if (c.req.raw.method === 'HEAD') answer.stream?.destroy()
    if (answer.stream) return respondBytes(answer.stream, answer, requestId)
    const response = respond(answer, requestId)
    return answer.headers['Set-Cookie'] && isSecure(c, options) ? withPrefixedCookies(response) : response
  }
  const failed = (error: unknown): Response | Promise<Response> => {
    const problem = problemOf(error, runtime.log, requestId)
    ended(problem.status)
    const isStranger = op.allow === 'anyone' || problem.code === 'unauthenticated'
    if (isStranger) leaveUnread(c.env)
    if (op.id === 'redeemLink' && problem.status === 401 && wantsPage(c))
      return web().then(({ linkEnded }) => linkEnded(c))
    const respondProblem = (): Response => answerProblem(c, options, problem, requestId)
    const rest = op.raw === 'body' && !isStranger ? discardRest(c.env) : undefined
    return rest ? rest.then(respondProblem) : respondProblem()
  }
  try {
    const answer = answerOperation(c, op, options, requestId)
    return answer instanceof Promise ? answer.then(answered).catch(failed) : answered(answer)
  } catch (error) {
    return failed(error)
  }
}

function answerOperation(c: C, op: Declaration, options: AppOptions, requestId: string): Answer | Promise<Answer> {
  const params = c.req.param() as Record<string, string>
  for (const [name, id] of Object.entries(params))
    if (!pathChoices(op, name) && !isId(id) && isOther(c.req.path)) throw missing(c)
  if (op.consumes && c.req.raw.method === 'HEAD')
    throw new Problem('method-not-allowed', 'This path takes GET.', undefined, { Allow: 'GET' })
  if (op.consumes && isPrefetch(c)) throw overloaded('This link works once, and is not opened ahead of time.')
  const caller = callerOf(c, options)
  const who = () => (op.allow === 'anyone' ? undefined : authenticate(options.runtime, op, caller))
  const agent = agentUseIn(c.req.header(AGENT_HEADER))
  const handler = handlers[op.id as OperationId] as Handler | HostHandler
  const call: Call = {
    op,
    actor: who(),
    again: who,
    caller,
    params,
    query: queryOf(c.req.url),
    body: (pay) => readBody(c, roomOf(op), pay),
    bytes: () => rawBody(c, op.maxBytes),
    idempotencyKey: c.req.header('idempotency-key'),
    requestId,
    signal: () => endOf(c, options),
  }
  return agent ? runForAgent(options.runtime, handler, { ...call, agent }) : run(options.runtime, handler, call)
}

/** Aborted when the caller goes away or the server stops. */
function endOf(c: C, { stopping }: AppOptions): AbortSignal {
  const own = new AbortController()
  follow(own, c.req.raw.signal)
  const leave = follow(own, stopping)
  c.env.outgoing?.once('close', leave)
  return own.signal
}

/** The query of a URL; parsing the whole URL would cost more than routing. */
function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1).split('#')[0])
}

/** Whether a browser is prefetching a page. */
const isPrefetch = (c: C): boolean =>
  ['sec-purpose', 'purpose'].some((name) => c.req.header(name)?.startsWith('prefetch'))

const wantsPage = (c: C): boolean => c.req.header('accept')?.includes('text/html') ?? false

function respond(answer: Answer, requestId: string): Response {
  const { status, json, headers: own } = answer
  if (json === undefined)
    return new Response(null, { status, headers: { ...securityHeaders, 'X-Request-Id': requestId, ...own } })
  const headers = headersOf(requestId, 'application/json')
  for (const name in own) headers[name] = own[name]!
  return new Response(json as string, { status, headers })
}

/** Browsers must save it instead of rendering it: a customer's file may be a malicious page. */
function respondBytes(stream: Readable, { status, headers }: Answer, requestId: string): Response {
  const all = { ...securityHeaders, 'X-Request-Id': requestId, 'Content-Security-Policy': 'sandbox', ...headers }
  return new Response(webStream(stream), { status, headers: all })
}

const showError = async (web: () => Promise<Web>, c: C, problem: Problem): Promise<Response> =>
  (await web()).errorPage(c, problem)

function answerProblem(_c: C, options: AppOptions, problem: Problem, requestId: string): Response {
  const body = JSON.stringify(problem.body(`${options.origin()}/problems`))
  const headers = Object.assign(headersOf(requestId, 'application/problem+json'), problem.headers)
  return new Response(body, { status: problem.status, headers })
}

/** 405 where the path exists with other methods, else 404. */
function missing(c: C): Problem {
  const allowed = methodsOf(c.req.path)
  if (allowed.length === 0) return new Problem('not-found', 'There is nothing at this path.')
  return new Problem('method-not-allowed', `This path takes ${allowed.join(', ')}.`, undefined, {
    Allow: allowed.join(', '),
  })
}

const templatesWith = (id: string) =>
  operationList.map((op) => ({
    method: op.method.toUpperCase(),
    path: new RegExp(
      `^${base}${op.path.replace(/\{(\w+)\}/g, (_, name: string) => (pathChoices(op, name) ? '[^/]+' : id))}$`,
    ),
  }))
const exact = templatesWith(ulid)
/** Malformed ids are reported only to callers who may ask (decisions: Order of refusal). */
const loose = templatesWith('[^/]+')

const fitting = (templates: typeof exact, path: string): string[] =>
  templates.filter((template) => template.path.test(path)).map(({ method }) => method)

/** `DELETE /webhooks/events` means the catalog, which only has GET, not a webhook called `events`. */
const isOther = (path: string): boolean => fitting(exact, path).length > 0

function methodsOf(path: string): string[] {
  const methods = new Set(fitting(isOther(path) ? exact : loose, path))
  if (methods.has('GET')) methods.add('HEAD')
  return [...methods]
}

async function health(options: AppOptions): Promise<Response> {
  const well = await options.healthy()
  const detail = options.runtime.leadership.lost
  const body = JSON.stringify({ status: well ? 'ok' : 'unhealthy', ...(detail !== undefined && { detail }) })
  const headers = headersOf(options.runtime.id(), 'application/json')
  if (!well) headers['Retry-After'] = '5'
  return new Response(body, { status: well ? 200 : 503, headers })
}

/** Handles the notice of a server that took over. It needs no credentials: it carries a proof. */
function hearSuccessor(c: C, { runtime }: AppOptions): Response {
  leaveUnread(c.env)
  const status = superseded(runtime.leadership, queryOf(c.req.url)) ? 204 : 403
  return new Response(null, { status, headers: headersOf(runtime.id(), 'text/plain') })
}

function showMetrics(c: C, options: AppOptions): Response {
  const actor = authenticate(options.runtime, readMetrics, callerOf(c, options))
  const headers = headersOf(options.runtime.id(), 'text/plain; version=0.0.4; charset=utf-8')
  return new Response(metricsFor(options.runtime, actor), { status: 200, headers })
}
