import { handlers } from '../areas/index.ts'
import type { OperationId } from '../contract/index.ts'
import { Problem } from '../contract/problem.ts'
import type { McpSession } from '../mcp/session.ts'
import { turnOfCaller } from '../runtime/jobs/shares.ts'
import type { Actor } from '../runtime/operations/actor.ts'
import { unitsOfSize } from '../runtime/operations/limits.ts'
import type { Handler, HostHandler, PayForBody } from '../runtime/operations/run.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { agentTickets } from '../runtime/security/agent-tickets.ts'
import { publicUrl } from '../runtime/settings/server-names.ts'
import { settingOf } from '../runtime/settings/settings.ts'
import { FairMap } from '../shared/fair-map.ts'
import { once } from '../shared/once.ts'
import { pageOf, runForAgent } from './agent-call.ts'
import { large, readBody } from './body.ts'
import { callerOf } from './caller.ts'
import type { C } from './environment.ts'
import { headersOf } from './headers.ts'
import type { AppOptions } from './options.ts'
import { problemOf } from './problem.ts'
import { metadataUrl, resourceOf, scopesSupported } from './well-known.ts'

type Protocol = typeof import('../mcp/http.ts')

/** Loaded with the first request: a server without agents pays nothing for it. */
const protocol = once(() => import('../mcp/http.ts'))

/** What outlives a request: the confirmations of all grants, and each grant's changes. */
interface Grants {
  readonly confirmations: InstanceType<Protocol['Confirmations']>
  readonly changes: FairMap<InstanceType<Protocol['ChangeLog']>>
}

const MAX_GRANTS = 10_000
const grants = new WeakMap<Runtime, Grants>()

function grantsOf(runtime: Runtime, { Confirmations }: Protocol): Grants {
  const now = (): number => runtime.clock.now()
  const own = grants.get(runtime) ?? { confirmations: new Confirmations(now), changes: new FairMap(MAX_GRANTS) }
  grants.set(runtime, own)
  return own
}

/** Whether agents may connect over HTTP. */
const servesMcp = ({ store }: Runtime): boolean => settingOf(store, 'mcp_http') ?? false

export function refuseUnlessServed({ runtime }: Pick<AppOptions, 'runtime'>): void {
  if (!servesMcp(runtime)) throw new Problem('not-found', 'There is nothing at this path.')
}

/** Answers a request of the Streamable HTTP transport: stateless, so POST alone. */
export async function serveMcp(c: C, options: AppOptions): Promise<Response> {
  const { runtime } = options
  const requestId = runtime.id()
  refuseUnlessServed(options)
  if (c.req.method !== 'POST')
    throw new Problem('method-not-allowed', 'This path takes POST.', undefined, { Allow: 'POST' })
  refuseForeignOrigin(c, runtime)
  const caller = callerOf(c, options)
  const who = (): Actor => holderOf(runtime, caller.header('authorization'), caller.address)
  const actor = authenticated(runtime, who, caller.header('authorization') !== undefined)
  const pay: PayForBody = (size) =>
    runtime.limiter.charge(
      { caller: actor.token!.id, customer: undefined, address: caller.address },
      (size.bytes === undefined ? 0 : 1) + unitsOfSize(size),
    )
  const body = await readBody(c, large, pay)
  const state: { challenge?: string } = {}
  const mcp = await protocol()
  const session = sessionOf(mcp, { runtime, options, caller, actor, who, requestId, state })
  const headers = new Headers(c.req.raw.headers)
  const response = await mcp.answerHttp(session, new Request(c.req.url, { method: 'POST', headers }), body)
  runtime.log.info({ request_id: requestId, operation: 'mcp', status: response.status }, 'request')
  return withHeaders(runtime, response, requestId, state.challenge)
}

/** Browsers of other sites must not reach it with a token that a page obtained. */
function refuseForeignOrigin(c: C, runtime: Runtime): void {
  const origin = c.req.header('origin')
  const own = [new URL(publicUrl(runtime)).origin, new URL(runtime.baseUrl).origin]
  if (origin !== undefined && !own.includes(origin))
    throw new Problem('forbidden', 'Requests from pages of other sites are refused.')
}

function holderOf(runtime: Runtime, authorization: string | undefined, address: string | undefined): Actor {
  const [, secret] = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '') ?? []
  if (secret === undefined) throw new Problem('unauthenticated', 'Send a token: Authorization: Bearer <token>.')
  return runtime.ports.authenticateToken(runtime, secret, address, resourceOf(runtime))
}

/** 401 says where a client learns how to get a token (RFC 9728), and that the one it sent is of no use (RFC 6750). */
function authenticated(runtime: Runtime, who: () => Actor, sent: boolean): Actor {
  try {
    return who()
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error
    const known = `resource_metadata="${metadataUrl(runtime)}", scope="${scopesSupported.join(' ')}"`
    const challenge = sent ? `Bearer ${known}, error="invalid_token"` : `Bearer ${known}`
    throw new Problem('unauthenticated', error.detail, undefined, { 'WWW-Authenticate': challenge })
  }
}

interface Asking {
  readonly runtime: Runtime
  readonly options: AppOptions
  readonly caller: ReturnType<typeof callerOf>
  readonly actor: Actor
  readonly who: () => Actor
  readonly requestId: string
  readonly state: { challenge?: string }
}

function sessionOf(mcp: Protocol, asking: Asking): McpSession {
  const { runtime, actor } = asking
  const token = actor.token!
  const holder = turnOfCaller({ runtime, actor })
  const { confirmations, changes } = grantsOf(runtime, mcp)
  const known = changes.get(token.id)
  const own = known ?? new mcp.ChangeLog(() => runtime.clock.now())
  if (!known) changes.set(token.id, own, holder)
  return {
    backend: { call: (op, request, agent) => call(mcp, asking, op, request, agent) },
    account: token.kind === 'account' ? { id: actor.id, username: actor.name } : undefined,
    caller: token.id,
    holder,
    client: () => actor.client,
    confirmations,
    changes: own,
    approve: async ({ sentence, fingerprint }) => approve(mcp, asking, sentence, fingerprint),
  }
}

type Call = McpSession['backend']['call']

async function call(
  mcp: Protocol,
  { runtime, options, caller, who, requestId, state }: Asking,
  ...[op, { params, query, body }, agent]: Parameters<Call>
): Promise<unknown> {
  try {
    const handler = handlers[op.id as OperationId] as Handler | HostHandler
    const answer = await runForAgent(runtime, handler, {
      op,
      actor: who(),
      again: who,
      caller,
      params: { ...params },
      query: new URLSearchParams(query),
      body: () => Promise.resolve(body),
      requestId,
      agent,
      signal: () => options.stopping,
    })
    return answer.json === undefined ? undefined : JSON.parse(answer.json.toString())
  } catch (error) {
    const problem = problemOf(error, runtime.log, requestId)
    const challenge = problem.code === 'token-scope' ? problem.headers['WWW-Authenticate'] : undefined
    if (challenge !== undefined) state.challenge = challenge
    throw new mcp.Refusal(problem.body(`${options.origin()}/problems`), challenge)
  }
}

/** The same person, signed in, approves at a page of the panel; the agent then calls again. */
function approve(mcp: Protocol, { runtime, actor }: Asking, sentence: string, fingerprint: string) {
  const tickets = agentTickets(runtime)
  const { type, id } = actor
  const turn = turnOfCaller({ runtime, actor })
  const known = tickets.approvalOf(fingerprint)
  if (known?.decision) {
    tickets.remove(known.id)
    return { status: known.decision }
  }
  const ticket = known ?? tickets.add({ principal: { type, id }, client: actor.client, sentence, fingerprint }, turn)
  return mcp.askAtPage(pageOf(runtime, actor, 'approve', ticket.id), ticket.id, sentence)
}

/** 403 `insufficient_scope` if the token lacked a scope (RFC 6750), so that the client can ask for it. */
function withHeaders(runtime: Runtime, response: Response, requestId: string, challenge: string | undefined): Response {
  const headers = { ...headersOf(requestId, response.headers.get('content-type') ?? 'application/json') }
  if (challenge === undefined) return new Response(response.body, { status: response.status, headers })
  headers['WWW-Authenticate'] = `${challenge}, resource_metadata="${metadataUrl(runtime)}"`
  return new Response(response.body, { status: 403, headers })
}
