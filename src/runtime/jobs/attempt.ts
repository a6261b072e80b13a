import { eq, sql } from 'drizzle-orm'
import type { JobStep } from '../../contract/jobs.ts'
import { prepared } from '../../store/prepared.ts'
import { update } from '../../store/rows.ts'
import type { Emission } from '../events/emission.ts'
import { recordEvent } from '../events/emit.ts'
import type { Actor } from '../operations/actor.ts'
import type { AccountName, Context } from '../operations/context.ts'
import { isStorageError, type Runtime } from '../runtime.ts'
import { type JobRow, jobs } from '../tables.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from './job-kind.ts'
import { JobJournal } from './journal.sql.ts'
import { isGone, isUnreachable } from './node-errors.ts'
import { backoff, enqueue } from './queue.ts'
import { failuresOf } from './reschedule.ts'
import { dropOldFailures, resolveEarlierFailures } from './resolve-failures.ts'

export const lease = 30_000
const heartbeat = 5_000
/** How long a job may show no progress, unless its kind sets its own limit. */
const SILENCE_LIMIT_MS = 30 * 60_000
/** How many times its silence limit a job may take, whatever progress it shows: a host can show it without end. */
const MAX_SILENCE_LIMITS = 48
/** How long aborted work may take to end; then the job ends without it. */
const ABORT_TIMEOUT_MS = 10_000
const UNDO_TIMEOUT_MS = 5 * 60_000

/** Reasons for aborting a job; none of them counts as a failure. */
export const stopping = Symbol('the server is stopping')
export const cancelled = Symbol('the job was cancelled')
export const overtaken = Symbol('an urgent job of its lane goes first')
const lost = Symbol('the lease was lost')

/** Delay before a job that lost its connection runs again; by then the node is known to be away. */
const awhile = 1_000

/** A crash does not cost an attempt, so this stops a job that crashes the server every time. */
const maxClaims = 50
const abandoned = new JobError('The server lost track of this job each time it ran.', true)
const undoTimedOut = new Error('The undo took too long.')
const released = { lease_owner: null, lease_until: null } as const

const queries = prepared((db) => ({
  cancelled: db
    .select({ is: jobs.cancel_requested })
    .from(jobs)
    .where(eq(jobs.id, sql.placeholder('id')))
    .prepare(),
}))

/** Writes only while this claim is the latest: a worker that lost its lease changes nothing. */
const fenced = update(jobs, "id = ? AND fence = ? AND status IN ('leased', 'running')")

/** One claim of a job: runs it, renews its lease and records the outcome. */
export class Attempt {
  readonly row: JobRow
  readonly #runtime: Runtime
  readonly #kind: JobKind | undefined
  readonly #journal: JobJournal
  readonly #ended: (row: JobRow, status: JobRow['status']) => void
  readonly #abort = new AbortController()
  readonly #abortUndo = new AbortController()
  /** Heartbeats since the job last showed progress: unlike the clock, they stop while the machine sleeps. */
  #silentBeats = 0
  #beats = 0
  #isOver = false
  #place = -1

  constructor(runtime: Runtime, row: JobRow, ended: (row: JobRow, status: JobRow['status']) => void) {
    this.#runtime = runtime
    this.row = row
    this.#kind = runtime.kinds.get(row.kind)
    this.#journal = new JobJournal(runtime, row)
    this.#ended = ended
  }

  abort(reason: typeof stopping | typeof cancelled | typeof overtaken): void {
    this.#abort.abort(reason)
    this.#abortUndo.abort(reason)
  }

  /** Runs the job until it ends or is requeued. Calls `leave` shortly before that is committed. */
  async run(leave: () => void): Promise<void> {
    const { store } = this.#runtime
    const stopBeating = this.#beat()
    const end = (write: () => void): Promise<void> => {
      const ended = store.change(write)
      leave()
      return ended
    }
    try {
      const settle = await this.#work()
      await end(() => this.#succeed(settle))
    } catch (error) {
      await this.#failed(error, end)
    } finally {
      this.#isOver = true
      stopBeating()
    }
  }

  /** Runs in the change that claims the job. A requeued job may have been asked to stop since. */
  begin(): boolean {
    const isCancelled = queries(this.#runtime.store.db).cancelled.get({ id: this.row.id })?.is ?? false
    if (!isCancelled) return this.#write({ status: 'running' })
    this.#fail(cancelled)
    return false
  }

  async #work(): Promise<Settle | undefined> {
    const { row } = this
    if (!this.#kind) throw new JobError(`This server does not know the job kind ${row.kind}.`, true)
    const job: RunningJob = {
      row,
      signal: this.#abort.signal,
      log: (message, level = 'info') => this.#heard(() => this.#journal.add(message, level)),
      progress: (percent) => this.#heard(() => this.#journal.progress(percent)),
      step: (step) => this.#heard(() => this.#step(step)),
    }
    const settle = await this.#untilEnded(this.#kind.run(job), this.#abort.signal)
    this.#abort.signal.throwIfAborted()
    return settle
  }

  /** Notes progress. Work that outlived its job changes nothing. */
  #heard(note: () => void): void {
    this.#silentBeats = 0
    if (!this.#isOver) note()
  }

  /** Frees the slot of work that ignores its abort, for example because the agent never answers. */
  async #untilEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    let cancel = (): void => {}
    let hear = (): void => {}
    const late = new Promise<never>((_resolve, reject) => {
      hear = () => {
        cancel = this.#runtime.clock.after(ABORT_TIMEOUT_MS, () => reject(signal.reason))
      }
    })
    if (signal.aborted) hear()
    else signal.addEventListener('abort', hear)
    try {
      return await Promise.race([work, late])
    } finally {
      signal.removeEventListener('abort', hear)
      cancel()
    }
  }

  #checkLimits(): void {
    const limit = this.#kind?.silenceLimitMs ?? SILENCE_LIMIT_MS
    this.#silentBeats++
    this.#beats++
    if (this.#silentBeats * heartbeat >= limit)
      this.#giveUp(`The job made no progress for ${limit / 60_000} minutes and was stopped.`)
    if (this.#beats * heartbeat >= limit * MAX_SILENCE_LIMITS)
      this.#giveUp(`The job did not end within ${(limit * MAX_SILENCE_LIMITS) / 3_600_000} hours and was stopped.`)
  }

  #giveUp(message: string): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(new JobError(message, true))
  }

  /** Only moves forward: a helper shared by several steps may report an earlier one again. */
  #step(step: JobStep): void {
    const place = this.#kind?.steps?.indexOf(step) ?? -1
    if (place <= this.#place) return
    this.#place = place
    this.#journal.step(step)
  }

  #beat(): () => void {
    const { store, clock } = this.#runtime
    let cancel = (): void => {}
    let ended = false
    const next = (): void => {
      if (ended) return
      cancel = clock.after(heartbeat, () => {
        this.#checkLimits()
        void store
          .change(() => this.#write({ lease_until: clock.now() + lease }))
          .then((stored) => (stored ? next() : this.#abort.abort(lost)))
          .catch(() => next())
      })
    }
    next()
    return () => {
      ended = true
      cancel()
    }
  }

  async #failed(error: unknown, end: (write: () => void) => Promise<void>): Promise<void> {
    // The disk failed, not the job: it runs again when its lease expires.
    if (isStorageError(error)) throw error
    const { log } = this.#runtime
    const { id: job, kind, request_id } = this.row
    log.warn({ err: error, job, kind, request_id }, 'a job attempt failed')
    const reason = (): unknown => (this.#abort.signal.aborted ? this.#abort.signal.reason : error)
    if (this.#isLast(reason()) && !isGone(error)) await this.#undo()
    // Asked to stop during the undo: run it once more.
    await end(() => this.#fail(reason()))
  }

  async #undo(): Promise<void> {
    const { signal } = this.#abortUndo
    const cancel = this.#runtime.clock.after(UNDO_TIMEOUT_MS, () => this.#abortUndo.abort(undoTimedOut))
    try {
      const undoing = this.#kind?.undo?.(this.row, signal)
      if (undoing) await this.#untilEnded(undoing, signal)
    } catch (error) {
      const { id: job, request_id } = this.row
      this.#runtime.log.error({ err: error, job, request_id }, 'a failed job could not be undone')
    } finally {
      cancel()
    }
  }

  #succeed(settle: Settle | undefined): void {
    this.#journal.progress(100)
    if (!this.#end({ status: 'succeeded', error: null })) return
    resolveEarlierFailures(this.#runtime, this.row)
    if (this.#kind) settle?.(this.#context(this.#kind))
    this.#emit('job.completed')
  }

  #fail(reason: unknown): void {
    if (reason === lost) return
    if (reason === stopping) return this.#putBack()
    if (reason === cancelled) return this.#cancel()
    if (reason === overtaken) return this.#requeue()
    if (isUnreachable(reason) && !isGone(reason)) return this.#postpone(reason.message)
    const message = sentence(reason)
    this.#journal.add(message, 'error')
    if (!this.#isLast(reason)) return this.#retry(message)
    if (!this.#end({ status: 'failed', error: message, mended: false })) return
    dropOldFailures(this.#runtime, this.row)
    if (this.#kind) this.#kind.failed?.(this.#context(this.#kind), this.row)
    this.#emit('job.failed', message)
  }

  #cancel(): void {
    if (this.#end({ status: 'cancelled' })) this.#kind?.cancelled?.(this.#runtime, this.row)
  }

  #isLast(reason: unknown): boolean {
    if (isGone(reason)) return true
    if (typeof reason === 'symbol' || isUnreachable(reason)) return false
    return this.row.attempts >= this.row.max_attempts || (reason instanceof JobError && reason.final)
  }

  #retry(message: string): void {
    const run_at = this.#runtime.clock.now() + backoff(failuresOf(this.#runtime, this.row))
    if (this.#write({ status: 'queued', run_at, error: message, ...released })) this.#journal.flush()
  }

  /** Requeues the job as if it had not been claimed. */
  #putBack(state: Partial<JobRow> = {}): void {
    this.#write({ status: 'queued', attempts: this.row.attempts - 1, ...state, ...released })
  }

  #requeue(): void {
    this.#journal.add('An urgent job goes first; this one runs again after it.', 'warn')
    this.#putBack()
    this.#journal.flush()
  }

  /** Its node became unreachable: requeue until it is back. */
  #postpone(why: string): void {
    this.#journal.add(why, 'warn')
    this.#putBack({ run_at: this.#runtime.clock.now() + awhile })
    this.#journal.flush()
  }

  /** Claims that cost no attempt, this one included. Those that failed in the usual way say nothing of crashes. */
  get #unspent(): number {
    return this.row.fence - this.row.attempts + 1
  }

  /** Whoever had claimed it is gone: it runs again, unless it was to be cancelled or never survives. Inside a change. */
  reclaim(): void {
    if (this.row.cancel_requested) return this.#fail(cancelled)
    if (this.#unspent >= maxClaims) return this.#fail(abandoned)
    this.#journal.add('The server lost track of this job while it ran; it runs again.', 'warn')
    this.#putBack({ run_at: this.#runtime.clock.now() })
    this.#journal.flush()
  }

  #end(state: Partial<JobRow> & Pick<JobRow, 'status'>): boolean {
    if (!this.#write({ ...state, finished_at: this.#runtime.clock.now(), ...released })) return false
    this.#journal.flush()
    this.#runtime.store.afterCommit(() => this.#ended(this.row, state.status))
    return true
  }

  #write(state: Partial<JobRow>): boolean {
    return fenced(this.#runtime.store.sqlite, state, this.row.id, this.row.fence) > 0
  }

  #emit(type: 'job.completed' | 'job.failed', error?: string): void {
    const { row } = this
    const extra = { job_id: row.id, kind: row.kind, ...(error === undefined ? {} : { error }) }
    const event: Emission = { type, account: accountOf(row), object_id: row.id, details: {}, extra }
    recordEvent(this.#runtime, event, { type: row.actor_type, id: row.actor_id }, row.via, row.request_id)
  }

  #context(kind: JobKind): Context {
    const runtime = this.#runtime
    const { row } = this
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
}

const accountOf = (row: JobRow): AccountName | undefined =>
  row.account_id && row.username !== null && row.domain !== null
    ? { id: row.account_id, username: row.username, domain: row.domain, owner_id: row.owner_id }
    : undefined

/** One sentence for users; internal details stay in the log. */
function sentence(error: unknown): string {
  if (error instanceof Error && (error instanceof JobError || error.name === 'HostError')) return error.message
  return 'The job stopped because of an internal error; see the server log.'
}
