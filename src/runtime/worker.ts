import { and, eq, inArray, lte, ne, or, sql } from 'drizzle-orm'
import type { Store } from '../store/open.ts'
import { prepared } from '../store/prepared.ts'
import { update } from '../store/rows.ts'
import type { Actor } from './actor.ts'
import type { AccountName, Context } from './context.ts'
import type { Emission } from './emit.ts'
import { recordEvent } from './emit.ts'
import { JobJournal } from './journal.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from './kind.ts'
import type { Counter } from './metrics/registry.ts'
import { anyDue, backoff, boundWaits, claim, enqueue, nextDue, runnableSince, setBack } from './queue.ts'
import { isStorageError, type Runtime } from './runtime.ts'
import { type JobRow, jobs } from './tables.ts'

const lease = 30_000
const heartbeat = 5_000
const poll = 5_000
/** A clock that goes back by less is not worth a correction. */
const clockSlack = 1_000

const queries = prepared((db) => ({
  cancelled: db
    .select({ is: jobs.cancel_requested })
    .from(jobs)
    .where(eq(jobs.id, sql.placeholder('id')))
    .prepare(),
  expired: db
    .select()
    .from(jobs)
    .where(and(inArray(jobs.status, ['leased', 'running']), lte(jobs.lease_until, sql.placeholder('now'))))
    .prepare(),
}))

/** Runs due jobs: leases, heartbeats, retries with backoff, and writes nothing once a lease is lost. */
export class Worker {
  readonly #runtime: Runtime
  readonly #owner: string
  readonly #concurrency: number
  readonly #running = new Map<string, { abort: AbortController; done: Promise<void> }>()
  readonly #ended: Counter
  readonly #idle: (() => void)[] = []
  #cancelTimer: (() => void) | undefined
  #claiming: Promise<void> | undefined
  #again = false
  #stopped = true
  /** When it last looked, and when a job last began or ended. */
  #looked: number
  #moved: number

  constructor(runtime: Runtime, concurrency = 8) {
    this.#runtime = runtime
    this.#owner = runtime.id()
    this.#concurrency = concurrency
    this.#looked = this.#moved = runtime.clock.now()
    this.#ended = runtime.metrics.counter(
      'panel_jobs_ended_total',
      'Jobs that ended since the start.',
      'kind',
      'status',
    )
  }

  /** Takes back what an earlier process left running, then begins. */
  async start(): Promise<void> {
    await this.#runtime.store.change(() => this.#recover())
    this.#stopped = false
    this.#runtime.signals.on('job', this.wake)
    this.#runtime.signals.on('cancel', this.#abort)
    this.wake()
  }

  /** Stops claiming, asks running jobs to stop, and puts them back without costing an attempt. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTimer?.()
    this.#runtime.signals.off('job', this.wake)
    this.#runtime.signals.off('cancel', this.#abort)
    await this.#claiming
    for (const { abort } of this.#running.values()) abort.abort(stopping)
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  /** Resolves when nothing is running and nothing is due. */
  async idle(): Promise<void> {
    if (this.#stopped) return
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve)
      this.wake()
    })
  }

  /** Whether a job that could run has waited longer than so many milliseconds, in which none began or ended. */
  late(ms: number): boolean {
    const now = this.#runtime.clock.now()
    if (now - this.#moved <= ms || this.#runtime.ports.lapsed(now)) return false
    return runnableSince(this.#runtime, now - ms)
  }

  readonly wake = (): void => {
    if (this.#stopped) return
    if (this.#claiming) {
      this.#again = true
      return
    }
    this.#claiming = this.#claim()
      .catch((error: unknown) => this.#runtime.log.error({ err: error }, 'jobs could not be claimed'))
      .finally(() => this.#claimed())
  }

  #claimed(): void {
    this.#claiming = undefined
    if (this.#again) {
      this.#again = false
      this.wake()
      return
    }
    this.#sleep()
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #claim(): Promise<void> {
    const now = this.#runtime.clock.now()
    const limit = this.#concurrency - this.#running.size
    await this.#followClock(now)
    if (this.#expired(now).length > 0) await this.#runtime.store.change(() => this.#reclaimExpired(now))
    if (limit <= 0 || this.#runtime.ports.lapsed(now) || !anyDue(this.#runtime, now)) return
    const rows = await this.#runtime.store.change(() =>
      claim(this.#runtime, { owner: this.#owner, until: now + lease, now, limit }),
    )
    for (const row of rows) this.#launch(row)
  }

  /** A clock that was set back must not hold up what waits for its time. */
  async #followClock(now: number): Promise<void> {
    const by = this.#looked - now
    if (by > clockSlack) await this.#runtime.store.change(() => setBack(this.#runtime, by))
    this.#looked = now
    this.#moved = Math.min(this.#moved, now)
  }

  /** Jobs whose end could not be written, as when the disk was full. What runs here is not among them. */
  #expired(now: number): JobRow[] {
    const rows = queries(this.#runtime.store.db).expired.all({ now })
    return rows.filter(({ id }) => !this.#running.has(id))
  }

  #reclaimExpired(now: number): void {
    for (const row of this.#expired(now)) this.#reclaim(row)
  }

  #launch(row: JobRow): void {
    const abort = new AbortController()
    const done = this.#work(row, abort)
      .catch((error: unknown) => this.#strand(row, error))
      .finally(() => {
        this.#running.delete(row.id)
        this.wake()
      })
    this.#running.set(row.id, { abort, done })
    this.#moved = this.#runtime.clock.now()
  }

  #strand(row: JobRow, error: unknown): void {
    this.#runtime.log.error({ err: error, job: row.id, request_id: row.request_id }, 'a job could not be ended')
  }

  async #work(row: JobRow, abort: AbortController): Promise<void> {
    const { store, kinds, log } = this.#runtime
    const kind = kinds.get(row.kind)
    const fence = new Fence(row)
    const journal = new JobJournal(this.#runtime, row)
    const started = await store.change(() => this.#begin(fence, row, journal))
    if (!started) return
    const stopBeating = this.#beat(fence, abort)
    try {
      if (!kind) throw new JobError(`This server knows no job of kind ${row.kind}.`, true)
      const settle = await kind.run(running(row, abort.signal, journal))
      abort.signal.throwIfAborted()
      await store.change(() => this.#succeed(fence, row, kind, journal, settle))
    } catch (error) {
      // The disk is at fault and not the job: it runs again when its lease is over.
      if (isStorageError(error)) throw error
      log.warn({ err: error, job: row.id, kind: row.kind, request_id: row.request_id }, 'a job attempt failed')
      const reason: unknown = abort.signal.aborted ? abort.signal.reason : error
      if (isLast(row, reason)) await this.#undo(row, kind)
      await store.change(() => this.#fail(fence, row, kind, journal, reason))
    } finally {
      stopBeating()
    }
  }

  /** A cancellation can come between the claim and the start, when there is nothing yet to abort. */
  #begin(fence: Fence, row: JobRow, journal: JobJournal): boolean {
    const { store } = this.#runtime
    if (!isCancelled(store, row.id)) return fence.write(store, { status: 'running' })
    this.#fail(fence, row, undefined, journal, cancelled)
    return false
  }

  async #undo(row: JobRow, kind: JobKind | undefined): Promise<void> {
    try {
      await kind?.undo?.(row)
    } catch (error) {
      this.#runtime.log.error(
        { err: error, job: row.id, request_id: row.request_id },
        'what a failed job did could not be undone',
      )
    }
  }

  #beat(fence: Fence, abort: AbortController): () => void {
    const { store, clock } = this.#runtime
    let cancel = (): void => {}
    let ended = false
    const next = (): void => {
      if (ended) return
      cancel = clock.after(heartbeat, () => {
        void store
          .change(() => fence.write(store, { lease_until: clock.now() + lease }))
          .then((kept) => (kept ? next() : abort.abort(lost)))
          .catch(() => next())
      })
    }
    next()
    return () => {
      ended = true
      cancel()
    }
  }

  #succeed(fence: Fence, row: JobRow, kind: JobKind, journal: JobJournal, settle: Settle | undefined): void {
    journal.progress(100)
    if (!this.#end(fence, journal, { status: 'succeeded', error: null })) return
    const ctx = this.#context(row, kind)
    settle?.(ctx)
    this.#tell('job.completed', row)
  }

  #fail(fence: Fence, row: JobRow, kind: JobKind | undefined, journal: JobJournal, error: unknown): void {
    if (error === lost) return
    if (error === stopping)
      return void fence.write(this.#runtime.store, { status: 'queued', attempts: row.attempts - 1, ...released })
    if (error === cancelled) return void this.#end(fence, journal, { status: 'cancelled' })
    const message = sentence(error)
    journal.add(message, 'error')
    if (!isLast(row, error)) return this.#retry(fence, row, journal, message)
    if (!this.#end(fence, journal, { status: 'failed', error: message })) return
    if (kind) kind.failed?.(this.#context(row, kind), row)
    this.#tell('job.failed', row, message)
  }

  #retry(fence: Fence, row: JobRow, journal: JobJournal, message: string): void {
    const run_at = this.#runtime.clock.now() + backoff(row.attempts)
    if (fence.write(this.#runtime.store, { status: 'queued', run_at, error: message, ...released })) journal.flush()
  }

  #end(fence: Fence, journal: JobJournal, state: Partial<JobRow> & Pick<JobRow, 'status'>): boolean {
    const ended = fence.write(this.#runtime.store, { ...state, finished_at: this.#runtime.clock.now(), ...released })
    if (!ended) return false
    journal.flush()
    this.#runtime.store.afterCommit(() => this.#report(fence.row, state.status))
    return true
  }

  #report({ id: job, kind, request_id, attempts }: JobRow, status: JobRow['status']): void {
    this.#moved = this.#runtime.clock.now()
    this.#ended.inc(kind, status)
    this.#runtime.log.info({ job, kind, request_id, attempts, status }, 'job ended')
  }

  #tell(type: 'job.completed' | 'job.failed', row: JobRow, error?: string): void {
    const event: Emission = {
      type,
      account: accountOf(row),
      object_id: row.id,
      details: {},
      extra: { job_id: row.id, kind: row.kind, ...(error === undefined ? {} : { error }) },
    }
    recordEvent(this.#runtime, event, { type: row.actor_type, id: row.actor_id }, row.via, row.request_id)
  }

  #context(row: JobRow, kind: JobKind): Context {
    const runtime = this.#runtime
    const actor: Actor = { type: row.actor_type, id: row.actor_id, name: row.actor_id, via: row.via }
    return {
      runtime,
      store: runtime.store,
      db: runtime.store.db,
      actor,
      op: undefined,
      caller: undefined,
      requestId: row.request_id,
      now: runtime.clock.now(),
      id: () => runtime.id(),
      emit: (event) => {
        if (!kind.emits?.includes(event.type))
          throw new Error(`Jobs of kind ${kind.kind} do not declare the event ${event.type}`)
        return recordEvent(runtime, event, actor, actor.via, row.request_id).id
      },
      enqueue: (job) => enqueue(runtime, job, actor, row.request_id),
      note: () => {},
      header: () => {},
      afterCommit: (act) => runtime.store.afterCommit(act),
    }
  }

  /** One process owns the store, so whatever is leased to another owner died with it. */
  #recover(): void {
    const { db } = this.#runtime.store
    const orphans = db
      .select()
      .from(jobs)
      .where(
        and(
          inArray(jobs.status, ['leased', 'running']),
          or(ne(jobs.lease_owner, this.#owner), sql`${jobs.lease_owner} IS NULL`),
        ),
      )
      .all()
    for (const row of orphans) this.#reclaim(row)
    boundWaits(this.#runtime)
  }

  #reclaim(row: JobRow): void {
    const journal = new JobJournal(this.#runtime, row)
    const fence = new Fence(row)
    if (row.cancel_requested) return this.#fail(fence, row, undefined, journal, cancelled)
    if (row.fence >= mostClaims) return this.#fail(fence, row, this.#runtime.kinds.get(row.kind), journal, abandoned)
    journal.add('The server lost track of this job while it ran; it runs again.', 'warn')
    const again = { status: 'queued', attempts: row.attempts - 1, run_at: this.#runtime.clock.now() } as const
    fence.write(this.#runtime.store, { ...again, ...released })
    journal.flush()
  }

  readonly #abort = (id: string): void => this.#running.get(id)?.abort.abort(cancelled)

  #sleep(): void {
    this.#cancelTimer?.()
    if (this.#stopped) return
    const { clock } = this.#runtime
    const now = clock.now()
    const next = nextDue(this.#runtime, now)
    const wait = next === undefined ? poll : Math.min(poll, next - now)
    this.#cancelTimer = clock.after(wait, this.wake)
  }
}

const stopping = Symbol('the server stops')
const cancelled = Symbol('the job was cancelled')
const lost = Symbol('the lease was lost')
/** A crash is no fault of the job's and costs no attempt, unless it crashes the server every time. */
const mostClaims = 50
const abandoned = new JobError('The server lost track of this job each time it ran.', true)
const released = { lease_owner: null, lease_until: null } as const

const isCancelled = (store: Store, id: string): boolean => queries(store.db).cancelled.get({ id })?.is ?? false

/** Whether no attempt follows this one. A stop, a cancellation or a lost lease is no failure. */
function isLast(row: JobRow, error: unknown): boolean {
  if (typeof error === 'symbol') return false
  return row.attempts >= row.max_attempts || (error instanceof JobError && error.final)
}

const change = update(jobs, "id = ? AND fence = ? AND status IN ('leased', 'running')")

/** Writes to a job only while this worker's claim on it is the last one. */
class Fence {
  readonly row: JobRow
  constructor(row: JobRow) {
    this.row = row
  }

  write(store: Store, state: Partial<JobRow>): boolean {
    return change(store.sqlite, state, this.row.id, this.row.fence) > 0
  }
}

function running(row: JobRow, signal: AbortSignal, journal: JobJournal): RunningJob {
  return {
    row,
    signal,
    log: (message, level = 'info') => journal.add(message, level),
    progress: (percent) => journal.progress(percent),
  }
}

const accountOf = (row: JobRow): AccountName | undefined =>
  row.account_id && row.username !== null && row.domain !== null
    ? { id: row.account_id, username: row.username, domain: row.domain, owner_id: row.owner_id }
    : undefined

/** One sentence for people; what is not meant for them stays in the log. */
function sentence(error: unknown): string {
  if (error instanceof Error && (error instanceof JobError || error.name === 'HostError')) return error.message
  return 'The job stopped because of an internal error; the server log says more.'
}
