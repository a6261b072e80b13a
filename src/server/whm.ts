import { handlers } from '../areas/index.ts'
import { operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { EventRow } from '../runtime/events/emission.ts'
import { type Actor, holds } from '../runtime/operations/actor.ts'
import { authorize } from '../runtime/operations/authorize.ts'
import { type Answer, type Handler, run } from '../runtime/operations/run.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { OperationCall, PanelJob, Session, WhmServer } from '../whm/server.ts'
import { tokenIn } from '../whm/token.ts'
import { readText } from './body.ts'
import { callerOf } from './caller.ts'
import type { C } from './environment.ts'
import { securityHeaders } from './headers.ts'
import type { AppOptions } from './options.ts'
import { problemOf } from './problem.ts'

interface WhmOptions extends AppOptions {
  readonly wait: number
}

/** Some clients time out after ten seconds. */
const DEFAULT_WAIT_MS = 8_000

/** The server as the WHM-compatible front needs it: operations run as the token's owner. */
export function whmServerOf(app: AppOptions, wait = DEFAULT_WAIT_MS): WhmServer {
  const options = { ...app, wait }
  const { runtime } = options
  return {
    headers: securityHeaders,
    requestId: () => runtime.id(),
    text: readText,
    session: (c, requestId) => sessionOf(options, c, requestId),
    problemOf: (error, requestId) => problemOf(error, runtime.log, requestId),
    answered({ id, name, status, began }) {
      const ms = Math.round((performance.now() - began) * 10) / 10
      runtime.log.info({ request_id: id, whm: name, status, ms }, 'request')
      options.requests.record(`whm.${name || 'unknown'}`, status, ms)
    },
  }
}

function sessionOf(options: WhmOptions, c: C, requestId: string): Session {
  const { runtime } = options
  const caller = callerOf(c, options)
  const secret = tokenIn(caller.header('authorization'))
  const holder = () => adminOf(runtime.ports.authenticateToken(runtime, secret, caller.address))
  const actor = holder()
  const until = runtime.clock.now() + options.wait
  const perform: Session['perform'] = async (id, ask = {}) => {
    const op: Declaration = operations[id]
    const call = callOf(op, ask, { caller, requestId, signal: () => options.stopping })
    const answer = await run(runtime, handlers[id] as Handler, { ...call, actor: holder(), again: holder })
    options.observe?.(op, answer)
    return contentOf(answer)
  }
  return {
    id: actor.id,
    user: actor.name,
    reseller: actor.type === 'reseller',
    now: runtime.clock.now(),
    denial: (id) => denial(operations[id], actor),
    holds: (privilege) => holds(actor, privilege),
    job: (id) => jobAfterWait({ ...options, wait: Math.max(0, until - runtime.clock.now()) }, id, perform),
    perform,
  }
}

const callOf = <Rest extends object>(op: Declaration, ask: OperationCall, rest: Rest) => ({
  op,
  params: ask.params ?? {},
  query: new URLSearchParams(ask.query),
  body: () => Promise.resolve(ask.body),
  ...rest,
})

/** Accepts root's and resellers' tokens; a suspended reseller's counts as invalid. */
function adminOf(actor: Actor): Actor {
  if (actor.token?.kind !== 'admin') throw new Problem('unauthenticated', 'A token of an account cannot be used here.')
  if (actor.suspended) throw new Problem('account-suspended', 'The reseller is suspended.')
  return actor
}

function denial(op: Declaration, actor: Actor): string | undefined {
  try {
    authorize(op, actor, {})
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.detail ?? error.message
    throw error
  }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of a type that the operation declares
const contentOf = ({ json }: Answer): any => (json === undefined ? undefined : JSON.parse(json.toString()))

const unfinished = new Set<string>(['queued', 'leased', 'running'])

/** The ended job, or its state when the wait is over. Subscribes before it reads, so that no end is missed. */
async function jobAfterWait(
  { runtime, wait, stopping }: WhmOptions,
  id: string,
  perform: Session['perform'],
): Promise<PanelJob> {
  const read = async () => (await perform('getJob', { params: { id } })).job
  const ended = jobEnd(runtime, id, stopping, wait)
  try {
    const job = await read()
    if (!unfinished.has(job.status)) return job
    await ended.promise
    return await read()
  } finally {
    ended.forget()
  }
}

/** Resolves at the job's end, after the wait, or when the server stops. */
function jobEnd(runtime: Runtime, jobId: string, stopping: AbortSignal, ms: number) {
  let forget = (): void => {}
  const promise = new Promise<void>((resolve) => {
    const heard = ({ object_id }: EventRow): void => {
      if (object_id === jobId) resolve()
    }
    const stop = (): void => resolve()
    const cancel = runtime.clock.after(ms, resolve)
    runtime.signals.on('event', heard)
    stopping.addEventListener('abort', stop)
    if (stopping.aborted) resolve()
    forget = () => {
      cancel()
      runtime.signals.off('event', heard)
      stopping.removeEventListener('abort', stop)
    }
  })
  return { promise, forget: () => forget() }
}
