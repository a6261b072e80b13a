import { Hono } from 'hono'
import type { Problem } from '../contract/problem.ts'
import { Failure, reasonOf } from './failure.ts'
import type { WhmFunction } from './function.ts'
import { Parameters } from './parameters.ts'
import type { Bound, C, Session, WhmServer } from './server.ts'
import { type Called, denied, failure, type Result, success } from './shapes.ts'
import { denialOf, functions } from './table.ts'

interface WhmAnswer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** The WHM-compatible front: `/json-api/<function>`, each answered by operations of the API. */
export function createWhm(server: WhmServer): Hono<Bound> {
  const app = new Hono<Bound>()
  for (const path of ['/json-api', '/json-api/:name{.*}', '/:session{cpsess[0-9]+}/json-api/:name{.*}'])
    app.all(path, (c) => serve(c, server))
  app.notFound(() =>
    send(server, { status: 404, body: { error: 'There is nothing at this path.' } }, server.requestId()),
  )
  app.onError((error) => {
    const id = server.requestId()
    return send(server, { status: server.problemOf(error, id).status, body: { error: 'Internal error' } }, id)
  })
  return app
}

async function serve(c: C, server: WhmServer): Promise<Response> {
  const id = server.requestId()
  const began = performance.now()
  const name = c.req.param('name') ?? ''
  const answer = await answerTo(c, server, name, id)
  server.answered({ id, name: functions.has(name) ? name : '', status: answer.status, began })
  return send(server, answer, id)
}

async function answerTo(c: C, server: WhmServer, name: string, id: string): Promise<WhmAnswer> {
  if (!['GET', 'POST'].includes(c.req.raw.method))
    return { status: 405, body: { error: 'This path takes GET and POST.' }, headers: { Allow: 'GET, POST' } }
  const query = queryOf(c.req.url)
  const handler = functions.get(name)
  let called: Called = { name, shape: 'read', ...handler, version: new Parameters(query, '').version }
  try {
    const session = server.session(c, id)
    const parameters = new Parameters(query, await server.text(c))
    const { version } = parameters
    called = { ...called, version }
    if (name === '') return { status: 200, body: {} }
    if (otherApis.has(name)) return { status: 200, body: denied }
    if (!handler)
      throw new Failure(`Unknown app (“${name.slice(0, 64)}”) requested for this version (${version}) of the API.`)
    return { status: 200, body: success(called, await run(handler, session, parameters)) }
  } catch (error) {
    return refusal(called, error, server, id)
  }
}

/** Functions for cPanel's other APIs, which do not exist here. */
const otherApis = new Set(['cpanel', 'uapi_cpanel'])

function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

function run(handler: WhmFunction, session: Session, parameters: Parameters): Promise<Result> {
  const denial = denialOf(session, handler)
  if (denial) throw new Failure(`Permission denied: ${denial}`)
  return handler.run({ parameters, session })
}

const PASSED_STATUSES = new Set([413, 429, 500, 503, 507])

/** Clients read a reason only from a response with status 200; only a bad token gets 403. */
function refusal(called: Called, error: unknown, server: WhmServer, id: string): WhmAnswer {
  if (error instanceof Failure) return { status: 200, body: failure(called, error.message) }
  const problem = server.problemOf(error, id)
  if (isDenied(problem)) return { status: 403, body: denied }
  const body = failure(called, reasonOf(problem))
  return { status: PASSED_STATUSES.has(problem.status) ? problem.status : 200, body, headers: problem.headers }
}

const isDenied = ({ code }: Problem): boolean => ['unauthenticated', 'token-ip', 'account-suspended'].includes(code)

function send({ headers }: WhmServer, answer: WhmAnswer, id: string): Response {
  const all = { ...headers, ...answer.headers, 'X-Request-Id': id, 'Content-Type': 'application/json' }
  return new Response(textOf(answer.body), { status: answer.status, headers: all })
}

/** Some clients treat any body containing `<html>` as a failed sign-in. */
const textOf = (body: object): string => JSON.stringify(body).replaceAll('<', '\\u003c')
