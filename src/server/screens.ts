import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { screens as declared, handlers } from '../areas/index.ts'
import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import type { PanelName } from '../contract/sessions.ts'
import { shareholderOf } from '../runtime/jobs/shares.ts'
import type { Actor } from '../runtime/operations/actor.ts'
import type { Caller } from '../runtime/operations/context.ts'
import { LastingQuery } from '../runtime/operations/parse.ts'
import { type Handler, run } from '../runtime/operations/run.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { agentTickets } from '../runtime/security/agent-tickets.ts'
import { publicUrl } from '../runtime/settings/server-names.ts'
import { getSetting } from '../runtime/settings/settings.ts'
import { memoize } from '../shared/memoize.ts'
import { once } from '../shared/once.ts'
import type { AgentClients, Input, Screens } from '../web/panel-request.ts'
import { authenticate } from './authenticate.ts'
import { type BodyLimits, huge, LARGE_BODY, large, readForm, small, streamed } from './body.ts'
import { callerOf } from './caller.ts'
import type { C } from './environment.ts'
import { securityHeaders } from './headers.ts'
import type { AppOptions } from './options.ts'
import { issuerOf, resourceOf, scopesSupported } from './well-known.ts'

export type Web = ReturnType<typeof import('../web/routes.tsx').createScreens>

/** Loads the screens when one is first requested: a server without visitors pays nothing for them. */
export const lateScreens = (options: AppOptions): (() => Promise<Web>) =>
  once(async () => (await import('../web/routes.tsx')).createScreens(screensOf(options)))

/** The server as screens need it: operations run as the caller. */
function screensOf(options: AppOptions): Screens {
  const { runtime } = options
  return {
    server: runtime.hostname,
    dir: dirname(runtime.store.sqlite.name),
    get headers() {
      return { ...securityHeaders, 'X-Request-Id': runtime.id() }
    },
    get origin() {
      return { origin: originOf(publicUrl(runtime)), ...pinned(options.pin()) }
    },
    declared,
    now: () => runtime.clock.now(),
    id: () => runtime.id(),
    hasAuthority: () => typeof getSetting(runtime.store.db, 'acme_directory_url') === 'string',
    isLapsed: () => runtime.ports.licenseExpired(runtime.store, runtime.clock.now()),
    turnOf: (account) => ({ owner: shareholderOf(runtime, account), member: account }),
    wait: (ms, stop) => waited(runtime, ms, AbortSignal.any([stop, options.stopping])),
    form: (c, panel, max, check) => readForm(c, roomOf(options, callerOf(c, options), panel, max), check),
    parts: streamed,
    ticket(c, panel, id, kind) {
      const session = { ...operations.getSession, panel } as Declaration
      const actor = runtime.ports.authenticateSession(runtime, session, callerOf(c, options))
      // Who is signed in as someone else does not decide for them.
      return actor && !actor.session?.actingAs ? agentTickets(runtime).find(id, actor, kind) : undefined
    },
    decide: (id, decision) => agentTickets(runtime).decide(id, decision),
    forget: (id) => agentTickets(runtime).remove(id),
    get agents() {
      return agentClientsOf(runtime)
    },
    async perform(c: C, id, ask = {}) {
      const op: Declaration = operations[id]
      const caller = withHeaders(callerOf(c, options), ask)
      const who = () => (op.allow === 'anyone' ? undefined : whoAsks(runtime, c, op, ask, caller))
      return run(runtime, handlers[id] as Handler, {
        op,
        caller,
        actor: who(),
        again: who,
        params: ask.params ?? {},
        query: queryOf(id, ask.query),
        body: () => Promise.resolve(ask.body),
        bytes: () => ask.bytes ?? Readable.from([]),
        idempotencyKey: ask.key,
        fields: ask.fields,
        requestId: runtime.id(),
        signal: () => options.stopping,
      })
    },
  }
}

function agentClientsOf(runtime: Runtime): AgentClients {
  const { registeredClient, findClient, startGrant } = runtime.ports.oauth
  return {
    issuer: issuerOf(runtime),
    resource: resourceOf(runtime),
    scopes: scopesSupported,
    registered: (id) => registeredClient(runtime, id),
    find: (id) => findClient(runtime, id),
    grant: (grant) => startGrant(runtime, grant),
  }
}

const origins = new Map<string, string>()
const originOf = (url: string): string => memoize(origins, url, () => new URL(url).origin)

const queries = new Map<string, LastingQuery>()

/** Pages ask the same again: for a count that stands on each, reading the question took longer than counting. */
const queryOf = (id: OperationId, query: Input['query']): LastingQuery =>
  memoize(queries, id + JSON.stringify(query), () => new LastingQuery(new URLSearchParams(query)))

interface ScreenCounts {
  readonly under: string
  readonly actor: Actor | undefined
}

const known = new WeakMap<Request, ScreenCounts>()

/** Authenticates once for all operations of a page, until the store changes or a second passes. */
function whoAsks(runtime: Runtime, { req }: C, op: Declaration, { csrf }: Input, caller: Caller): Actor | undefined {
  const second = Math.floor(runtime.clock.now() / 1000)
  const under = [runtime.store.version, second, op.panel, op.method === 'get', csrf].join(' ')
  const before = known.get(req.raw)
  if (before?.under === under) return before.actor
  const actor = authenticate(runtime, op, caller)
  known.set(req.raw, { under, actor })
  return actor
}

const pinned = (pin: string | undefined) => (pin === undefined ? {} : { pin })

function waited({ clock }: AppOptions['runtime'], ms: number, stop: AbortSignal): Promise<boolean> {
  if (stop.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(true))
    stop.addEventListener('abort', () => {
      cancel()
      resolve(false)
    })
  })
}

/** Also reads a form whose session ended while it was filled in, so that its input is not lost. */
function roomOf({ runtime }: AppOptions, caller: Caller, panel: PanelName, max: 'zone' | undefined): BodyLimits {
  const status = runtime.ports.sessionStatus(runtime, caller, panel)
  if (status === 'running') return max === 'zone' ? huge : large
  return status === 'ended' ? LARGE_BODY : small
}

/** A form sends its CSRF token as a field; other headers come from the page itself. */
function withHeaders(caller: Caller, { csrf, headers = {} }: Input): Caller {
  const own: Readonly<Record<string, string | undefined>> = {
    ...headers,
    ...(csrf !== undefined && { 'x-csrf-token': csrf }),
  }
  return { ...caller, header: (name) => (Object.hasOwn(own, name) ? own[name] : caller.header(name)) }
}
