import type { Readable } from 'node:stream'
import { isId } from '../../contract/common.ts'
import type { OperationId, Operations } from '../../contract/index.ts'
import {
  awaitsNoEnd,
  type Declaration,
  type Input,
  isOfAccount,
  type Output,
  pathChoices,
  readsOnly,
} from '../../contract/operation.ts'
import { overloaded, Problem, withoutFeature } from '../../contract/problem.ts'
import { confirmPaths } from '../../contract/sessions.ts'
import type { Emission } from '../events/emission.ts'
import { recordEvent } from '../events/emit.ts'
import { enqueue } from '../jobs/queue.ts'
import { shareholder } from '../jobs/shares.ts'
import type { Runtime } from '../runtime.ts'
import type { Actor } from './actor.ts'
import {
  type AgentUse,
  type AuditedChange,
  dryRun,
  type Effects,
  effectOf,
  noteOf,
  refuseChangedSince,
  withAgent,
} from './agent.ts'
import { recordAudit } from './audit.ts'
import { authorize, authorizeFields } from './authorize.ts'
import type { AccountName, AuditNote, Caller, Context } from './context.ts'
import type { FoundOn } from './found.ts'
import { gathered, HostSlots, type Inbox, pacedAnswer, pacedBody, RawAnswer, withinTime } from './host-call.ts'
import { type IdempotencyKey, keep, keyOf, recall } from './idempotency.ts'
import { type BodySize, furtherUnits, unitsOf, unitsOfSize } from './limits.ts'
import { present } from './list.ts'
import { type LastingQuery, parseBody, parseQuery } from './parse.ts'

/** JSON made elsewhere (in SQL, or cached), sent unchanged. Long ones are already encoded to bytes. */
export class Preserialized {
  readonly json: string | Buffer
  constructor(json: string | Buffer) {
    this.json = json
  }
}

/** The answer of an operation that would have created what was there already. */
export class Existing<T> {
  readonly output: T
  constructor(output: T) {
    this.output = output
  }
}

type FoundOf<Op> = FoundOn<Op extends { path: infer Path extends string } ? Path : never>

/** Implements an operation: a synchronous function, after an optional step that may await. */
export interface Handler<Op = Declaration, Prepared = unknown, Found = FoundOf<Op>> {
  /** Slow work that needs no transaction, such as hashing a password. */
  prepare?(ctx: Finding<Found>, input: Input<Op>): Promise<Prepared>
  handle(ctx: Finding<Found>, input: Input<Op>, prepared: Prepared): Output<Op> | Preserialized | Existing<Output<Op>>
  /** Lets a read wait for something; undefined if it need not. */
  wait?(ctx: Finding<Found>, input: Input<Op>, call: Pick<Call, 'signal'>): Promise<void> | undefined
  /** Replaces the path's finders, for a read whose look-up already makes the response. */
  find?(ctx: Context, params: Input<Op>['params']): Found
}

/** A context with the objects that the path names; for a change, looked up in its transaction. */
type Finding<Found> = Context & { readonly found: Found }

/** Implements a host call: asks the host, outside any transaction. */
export interface HostHandler<Op = Declaration, Found = FoundOf<Op>> {
  /** Runs in the change that records it, if it is one: may refuse from the store, and adds to the audit row. */
  record?(ctx: Finding<Found>, input: Input<Op>): void
  act?(ctx: Finding<Found>, input: Input<Op>, signal: AbortSignal): Promise<Output<Op> | RawAnswer>
  /** Receives a raw body. */
  receive?(ctx: Finding<Found>, input: Input<Op>, signal: AbortSignal): Promise<Inbox<Output<Op>>>
}

export type Handlers = {
  readonly [K in OperationId]: Operations[K] extends { readonly host: true }
    ? // biome-ignore lint/suspicious/noExplicitAny: what was found is each handler's own affair
      HostHandler<Operations[K], any>
    : // biome-ignore lint/suspicious/noExplicitAny: what `prepare` and `find` hand to `handle` is each handler's own affair
      Handler<Operations[K], any, any>
}

type Finds = Pick<Handler, 'find'>

/** Called with a body's bytes before they are looked at, and with the number of its values before they are made. */
export type PayForBody = (size: BodySize) => void

/** A call, as the transport passes it. */
export interface Call {
  readonly op: Declaration
  /** Undefined without credentials. */
  readonly actor: Actor | undefined
  /** Authenticates again; called after each wait. */
  again(): Actor | undefined
  readonly caller: Caller
  readonly params: Record<string, string>
  readonly query: URLSearchParams | LastingQuery
  /** Reads the body when called, and has its size paid for before parsing it; throws 413, 415 or 400. */
  body(pay: PayForBody): Promise<unknown>
  /** The raw body as a stream; throws 413 or 415. */
  bytes?(): AsyncIterable<Buffer>
  readonly idempotencyKey?: string | undefined
  /** The list item fields that a caller in this process reads: others may be omitted. */
  readonly fields?: readonly string[] | undefined
  readonly requestId: string
  /** Made by an AI agent. */
  readonly agent?: AgentUse | undefined
  /** Aborted when the caller goes away. */
  signal(): AbortSignal
}

export interface Answer {
  readonly status: number
  /** JSON text; undefined for 204. */
  readonly json?: string | Buffer | undefined
  readonly headers: Record<string, string>
  /** Raw bytes, instead of JSON. */
  readonly stream?: Readable
  /** What an AI agent changed: its audit entry. */
  readonly change?: AuditedChange
}

/** Runs any operation: authorize, find, parse, change, respond. Every caller uses it (decisions: Order of refusal). */
export function run(runtime: Runtime, handler: Handler | HostHandler, call: Call): Answer | Promise<Answer> {
  return runAs(runtime, handler, call.agent ? withAgent(call, call.agent) : call)
}

function runAs(runtime: Runtime, handler: Handler | HostHandler, call: Call): Answer | Promise<Answer> {
  const { op } = call
  authorize(op, call.actor, call.params)
  charge(runtime, call, unitsOf(op))
  const reads = op.method === 'get' && !op.consumes
  if (reads) runtime.store.hold()
  const scope = new Scope(runtime, call)
  admit(runtime, handler as Finds, scope, call)
  if (op.host) return callHost(runtime, handler as HostHandler, scope, call)
  return reads ? read(runtime, handler as Handler, scope, call) : write(runtime, handler as Handler, scope, call)
}

function parse(runtime: Runtime, call: Call, raw: unknown): Input<Declaration> {
  const { op, params } = call
  const input = { params, query: parseQuery(op, call.query), body: parseBody(op, raw) } as unknown as Input<Declaration>
  authorizeFields(op, call.actor, input.body)
  charge(runtime, call, furtherUnits(op, input))
  return input
}

/** Root on the local socket is not rate-limited: an administrator needs it to stop an attack. */
function charge(runtime: Runtime, { op, actor, caller }: Call, units: number, what?: 'size'): void {
  if (units === 0 || (caller.local && !actor?.token)) return
  const changes = op.method !== 'get' && what !== 'size'
  const customer = actor?.type === 'account' && changes ? actor.id : undefined
  runtime.limiter.charge({ caller: actor && (actor.token?.id ?? actor.id), customer, address: caller.address }, units)
}

/** Checks the path's objects, the account's features and state, and the license before the body is read. */
function admit(runtime: Runtime, handler: Finds, scope: Scope, call: Call): void {
  const { op, params } = call
  const { ctx } = scope
  if (op.allow === 'anyone') return
  find(runtime, handler, ctx, call)
  refuseWithoutFeature(runtime, ctx, op.feature, params['id'])
  if (ctx.actor.token?.kind === 'account') refuseWithoutFeature(runtime, ctx, 'api_tokens', ctx.actor.id)
  if (ctx.actor.suspended && op.suspended !== 'allowed')
    throw new Problem('account-suspended', 'The account is suspended.')
  refuseUnconfirmed(op, ctx.actor, params)
  if (op.method !== 'get' && runtime.leadership.lost !== undefined)
    throw new Problem('superseded', runtime.leadership.lost)
  if (op.method !== 'get' && !op.licenseFree && runtime.ports.licenseExpired(ctx.store, ctx.now)) {
    throw new Problem('license-readonly', 'The license has expired: nothing can be changed until it is valid again.')
  }
}

function refuseWithoutFeature(
  runtime: Runtime,
  ctx: Context,
  feature: Declaration['feature'],
  account: string | undefined,
): void {
  if (!feature || !account) return
  const features = typeof feature === 'string' ? [feature] : feature
  if (features.some((one) => runtime.ports.hasFeature(ctx, account, one))) return
  throw withoutFeature(features)
}

/** The local socket has no session and counts as confirmed. */
function refuseUnconfirmed(op: Declaration, { id, session }: Actor, params: Record<string, string>): void {
  if (!session || session.confirmed || !op.sensitive || op.sensitive === 'agents') return
  if (op.sensitive === 'own' && params['id'] !== id) return
  throw new Problem('confirm-password', `Confirm your password first: POST ${confirmPaths[session.panel]}.`)
}

/** Looks up the path's objects from the outermost inwards; throws the first 404. */
function find(runtime: Runtime, handler: Finds, ctx: Scope['ctx'], call: Call): void {
  for (const name in call.params) refuseBadParam(call.op, name, call.params[name]!)
  const { path } = call.op
  if (handler.find) return void Object.assign(ctx.found, handler.find(ctx, call.params as never))
  for (let end = path.indexOf('}'); end >= 0; end = path.indexOf('}', end + 1))
    Object.assign(ctx.found, runtime.ports.finders.get(path.slice(0, end + 1))?.(ctx, call.params))
}

function refuseBadParam(op: Declaration, name: string, value: string): void {
  const choices = pathChoices(op, name)
  if (choices ? !choices.includes(value) : !isId(value))
    throw new Problem('not-found', `The path contains an invalid ${choices ? name : 'id'}.`)
}

/** A read that does not wait is answered in the same turn. */
function read(runtime: Runtime, handler: Handler, scope: Scope, call: Call): Answer | Promise<Answer> {
  const input = parse(runtime, call, undefined)
  const answer = (to: Scope) => to.answer(handler.handle(to.ctx, input, undefined))
  const waiting = handler.wait?.(scope.ctx, input, call)
  return waiting ? waiting.then(() => answer(admitAgain(runtime, handler, call))) : answer(scope)
}

/** Since then the token may have been revoked, the session ended, the account suspended or the feature turned off. */
function admitAgain(runtime: Runtime, handler: Finds, call: Call, body?: unknown): Scope {
  const now = { ...call, actor: call.again() }
  authorize(now.op, now.actor, now.params)
  authorizeFields(now.op, now.actor, body)
  const scope = new Scope(runtime, now)
  admit(runtime, handler, scope, now)
  return scope
}

async function inputOf(runtime: Runtime, call: Call, pay: PayForBody): Promise<Input<Declaration>> {
  const { op } = call
  if (op.raw !== 'body') return parse(runtime, call, op.method === 'get' ? undefined : await call.body(pay))
  const bytes = call.bytes!()
  const input = parse(runtime, call, undefined)
  return { ...input, body: await gathered(runtime.clock, bytes, op.maxBytes!) } as unknown as Input<Declaration>
}

/** Authorizes again inside the change, however long the request waited before it. */
async function write(runtime: Runtime, handler: Handler, scope: Scope, call: Call): Promise<Answer> {
  let bodyBytes = 0
  const pay = (size: BodySize) => {
    bodyBytes += size.bytes ?? 0
    charge(runtime, call, unitsOfSize(size), 'size')
  }
  const input = await inputOf(runtime, call, pay)
  const key = keyOf(runtime, call.op, call.actor, call.idempotencyKey, input)
  // Reading the body may have taken a while.
  const prepared = await handler.prepare?.({ ...scope.ctx, now: runtime.clock.now() }, input)
  refuseBeyondQueue(runtime)
  if (call.agent?.dryRun)
    return dryRun(runtime, () => {
      const now = admitAgain(runtime, handler, call, input.body)
      refuseChangedSince(runtime, call.agent)
      callHandler(handler, now.ctx, input, prepared)
      return now.effects()
    })
  return runtime.store.change(() => {
    const now = admitAgain(runtime, handler, call, input.body)
    const cached = key && recall(runtime, key)
    if (cached) return replay(cached)
    refuseChangedSince(runtime, call.agent)
    const output = callHandler(handler, now.ctx, input, prepared)
    runtime.ports.refuseLargeChange(now.ctx, bodyBytes || sizeOf(input.body))
    const answer = now.audited(now.answer(output))
    if (key) keep(runtime, key, { status: answer.status, answer: answer.json?.toString() ?? null })
    return answer
  })
}

/** Of a body that did not come as JSON, such as a form's. */
const sizeOf = (body: unknown): number => (body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body)))

/** Records who asks for what, then asks the host. */
async function callHost(runtime: Runtime, handler: HostHandler, scope: Scope, call: Call): Promise<Answer> {
  const { op, params } = call
  const isRaw = op.raw === 'body'
  const bytes = isRaw ? call.bytes?.() : undefined
  const pay = (size: BodySize) => charge(runtime, call, unitsOfSize(size), 'size')
  const input = parse(runtime, call, isRaw || op.method === 'get' ? undefined : await call.body(pay))
  const key = keyOf(runtime, op, call.actor, call.idempotencyKey, input)
  const account = params['id']!
  const owner = shareholder(
    runtime.store.db,
    account,
    (scope.ctx.found['account'] as AccountName | undefined)?.owner_id,
  )
  const node = runtime.ports.nodeOf(runtime.store.db, account)
  const slots = slotsOf(runtime)
  // What is about no account counts for its caller.
  const holder = account ?? call.actor?.id ?? ''
  const leave = op.raw ? slots.stream(node, holder, owner) : slots.call(node, holder, owner)
  let streams = false
  try {
    const on = { runtime, handler, scope, call, input, key }
    const answer = bytes ? await receive(on, bytes) : await act(on)
    if (!answer.stream) return answer
    streams = true
    return { ...answer, stream: pacedAnswer(runtime.clock, answer.stream, leave) }
  } finally {
    if (!streams) leave()
  }
}

interface HostWork {
  readonly runtime: Runtime
  readonly handler: HostHandler
  readonly scope: Scope
  readonly call: Call
  readonly input: Input<Declaration>
  readonly key: IdempotencyKey | undefined
}

async function act(on: HostWork): Promise<Answer> {
  const { runtime, handler, call, input, key } = on
  if (call.agent?.dryRun && call.op.method !== 'get')
    return dryRun(runtime, () => noteIn(admitAgain(runtime, handler as Finds, call, input.body), on).effects())
  const recorded = call.op.method === 'get' ? on.scope : await record(on)
  if (!(recorded instanceof Scope)) return recorded
  const acting = (signal: AbortSignal) => handler.act!(recorded.ctx as never, input as never, signal)
  const output = await withinTime(runtime.clock, call.signal(), acting)
  if (output instanceof RawAnswer)
    return output as { status: number; headers: Record<string, string>; stream: Readable }
  const answer = { ...recorded.answer(output), ...recorded.change }
  if (key)
    await runtime.store.change(() =>
      keep(runtime, key, { status: answer.status, answer: answer.json?.toString() ?? null }),
    )
  return answer
}

/** Puts the bytes in place after the caller is authorized again and the audit row is written. */
async function receive(on: HostWork, bytes: AsyncIterable<Buffer>): Promise<Answer> {
  const { runtime, handler, scope, call, input } = on
  const { clock } = runtime
  const opening = (signal: AbortSignal) => handler.receive!(scope.ctx as never, input as never, signal)
  const inbox = await withinTime(clock, call.signal(), opening)
  try {
    await inbox.take(pacedBody(clock, bytes))
    const recorded = await record(on)
    if (!(recorded instanceof Scope)) throw new Error('A raw body has no idempotency key.')
    if (call.op.part) remember(recordedParts(runtime), partOf(call))
    return recorded.answer(await withinTime(clock, call.signal(), (signal) => inbox.commit(signal)))
  } catch (error) {
    await inbox.discard().catch(() => {})
    throw error
  }
}

/** Writes the audit row in its own change, before asking the host. */
function record(on: HostWork): Promise<Scope | Answer> {
  const { runtime, handler, call, input, key } = on
  return runtime.store.change<Scope | Answer>(() => {
    const now = admitAgain(runtime, handler as Finds, call, input.body)
    const cached = key && recall(runtime, key)
    if (cached) return replay(cached)
    refuseChangedSince(runtime, call.agent)
    noteIn(now, on)
    if (!call.op.part || !recordedParts(runtime).has(partOf(call))) now.audit()
    return now
  })
}

const parts = new WeakMap<Runtime, Set<string>>()

/** Parts of objects whose sender the audit trail names already. */
function recordedParts(runtime: Runtime): Set<string> {
  const own = parts.get(runtime) ?? new Set()
  parts.set(runtime, own)
  return own
}

const MAX_RECORDED_PARTS = 1_000

/** What is forgotten makes another row. */
function remember(recorded: Set<string>, part: string): void {
  if (recorded.size >= MAX_RECORDED_PARTS) recorded.clear()
  recorded.add(part)
}

const partOf = ({ op, params, actor }: Call): string =>
  JSON.stringify([op.id, params, actor?.id, actor?.token?.id, actor?.session?.actingAs?.id, actor?.address])

function noteIn(now: Scope, { handler, input }: HostWork): Scope {
  const account = now.ctx.found['account'] as AccountName | undefined
  if (account) now.ctx.note({ account })
  handler.record?.(now.ctx as never, input as never)
  refuseTerminating(now.ctx)
  return now
}

const slots = new WeakMap<Runtime, HostSlots>()

function slotsOf(runtime: Runtime): HostSlots {
  const own = slots.get(runtime) ?? new HostSlots()
  slots.set(runtime, own)
  return own
}

/**
 * An account being terminated takes no more changes. That is the last check (decisions: Order of refusal), so the
 * handler runs first and its transaction is rolled back.
 */
function callHandler(handler: Handler, ctx: Scope['ctx'], input: Input<Declaration>, prepared: unknown): unknown {
  let output: unknown
  try {
    output = handler.handle(ctx, input, prepared)
  } catch (error) {
    if (error instanceof Problem && error.status === 409) refuseTerminating(ctx)
    throw error
  }
  refuseTerminating(ctx)
  refuseImporting(ctx)
  return output
}

function refuseTerminating({ op, found }: Scope['ctx']): void {
  const account = found['account'] as (AccountName & { terminating: boolean }) | undefined
  if (op && account?.terminating && awaitsNoEnd(op))
    throw new Problem('busy', `${account.username} is being terminated.`)
}

/** Until an imported account is activated, its customer changes nothing, and others nothing while a step runs. */
function refuseImporting({ op, found, actor }: Scope['ctx']): void {
  const account = found['account'] as (AccountName & { importing?: 'idle' | 'running' | null }) | undefined
  if (!op || !account?.importing || !isOfAccount(op) || op.importing === 'allowed' || readsOnly(op)) return
  if (account.importing === 'running') throw new Problem('busy', `${account.username} is being imported.`)
  if (actor.type === 'account') throw new Problem('busy', `${account.username} is imported, and not activated yet.`)
}

const maxWaiting = 1000

/** Bounds the changes waiting in memory; jobs and deliveries wait in the store, unbounded. */
function refuseBeyondQueue({ store }: Runtime): void {
  if (store.waiting >= maxWaiting) throw overloaded('The server is busy. Try again shortly.')
}

const replay = (cached: { status: number; answer: string | null }): Answer => ({
  status: cached.status,
  json: cached.answer ?? undefined,
  headers: { 'Idempotency-Replayed': 'true' },
})

const nobody: Actor = { type: 'system', id: '', name: 'nobody', via: 'api' }

/**
 * One call's context, and what it collects for the response and the audit row. Plain fields only: with a getter in an
 * object made per request, V8 keeps the whole request until its next full collection.
 */
class Scope {
  readonly ctx: Context & { readonly found: Record<string, unknown> }
  readonly #runtime: Runtime
  readonly #call: Call
  #note: AuditNote = {}
  /** What the call emitted and queued; collected for AI agents alone. */
  readonly #effects: Pick<Effects, 'events' | 'jobs'> = { events: [], jobs: [] }
  change: Pick<Answer, 'change'> = {}
  #headers: Record<string, string> = {}

  constructor(runtime: Runtime, call: Call) {
    this.#runtime = runtime
    this.#call = call
    this.ctx = this.#context(call.actor ?? nobody)
  }

  audit(): void {
    const { op, requestId } = this.#call
    const actor = this.#note.actor ?? this.#call.actor
    if (!actor) return
    const id = recordAudit(this.#runtime, op.id, actor, requestId, this.#note)
    if (this.#call.agent) this.change = { change: { id, operation: op.id, ...noteOf(this.#note) } }
  }

  /** Records the change, and adds it to an AI agent's answer. */
  audited(answer: Answer): Answer {
    this.audit()
    return this.#call.agent ? { ...answer, ...this.change } : answer
  }

  effects(): Effects {
    return { ...this.#effects, ...noteOf(this.#note) }
  }

  answer(output: unknown): Answer {
    const { op } = this.#call
    if (op.answer === undefined) return { status: op.status, headers: this.#headers }
    if (output instanceof Existing) return { ...this.answer(output.output), status: op.statusIfExisting ?? op.status }
    const json = output instanceof Preserialized ? output.json : JSON.stringify(output)
    return { status: op.status, json, headers: this.#headers }
  }

  #context(actor: Actor): Scope['ctx'] {
    const runtime = this.#runtime
    const { op, caller, fields, requestId, agent } = this.#call
    return {
      runtime,
      store: runtime.store,
      db: runtime.store.db,
      actor,
      op,
      caller,
      fields,
      requestId,
      dryRun: agent?.dryRun,
      found: {},
      now: runtime.clock.now(),
      id: () => runtime.id(),
      emit: (event: Emission) => {
        if (!op.emits?.includes(event.type)) throw new Error(`${op.id} does not declare the event ${event.type}`)
        if (agent) this.#effects.events.push(effectOf(event))
        return recordEvent(runtime, event, actor, actor.via, requestId).id
      },
      enqueue: (job) => {
        if (agent) this.#effects.jobs.push({ kind: job.kind, ...present({ account: job.account?.username }) })
        return enqueue(runtime, job, actor, requestId)
      },
      note: (note) => {
        this.#note = { ...this.#note, ...note }
      },
      header: (name, value) => {
        this.#headers[name] = value
      },
      afterCommit: (act) => runtime.store.afterCommit(act),
    }
  }
}
