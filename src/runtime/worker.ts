import { and, inArray, ne, or, sql } from 'drizzle-orm'
import { localNode } from '../shared/node-name.ts'
import { Attempt, cancelled, lease, stopping } from './attempt.ts'
import { anyDue, claim, claimSide, expired, nextDue, runnableSince } from './claim.sql.ts'
import { SideLanes } from './lanes.ts'
import type { Counter } from './metrics/registry.ts'
import { jobsOfNode } from './nodes.ts'
import { boundWaits, setBack } from './queue.ts'
import type { Runtime } from './runtime.ts'
import { type JobRow, jobs } from './tables.ts'

const poll = 5_000
/** Smaller clock steps are ignored. */
const clockSlack = 1_000

/** Leases and runs due jobs, up to its limit; requeues jobs whose lease expired. */
export class Worker {
  readonly #runtime: Runtime
  readonly #owner: string
  readonly #concurrency: number
  readonly #sideLanes: SideLanes
  readonly #running = new Map<string, { attempt: Attempt; done: Promise<void> }>()
  readonly #ended: Counter
  readonly #idle: (() => void)[] = []
  /** Jobs about to commit their end: replacements are claimed in the same commit or the next. */
  readonly #leaving = new Set<string>()
  #cancelTimer: (() => void) | undefined
  #claiming: Promise<void> | undefined
  #again = false
  #stopped = true
  /** When it last polled, and when a job last started or ended. */
  #looked: number
  #moved: number

  constructor(runtime: Runtime, concurrency = 8) {
    this.#runtime = runtime
    this.#owner = runtime.id()
    this.#concurrency = concurrency
    this.#sideLanes = new SideLanes(runtime.areas)
    this.#looked = this.#moved = runtime.clock.now()
    this.#ended = runtime.metrics.counter(
      'panel_jobs_ended_total',
      'Jobs that have ended since the server started.',
      'kind',
      'status',
    )
  }

  /** Requeues what an earlier process left running, then starts. */
  async start(): Promise<void> {
    await this.#runtime.store.change(() => this.#recover())
    this.#stopped = false
    this.#runtime.signals.on('job', this.wake)
    this.#runtime.signals.on('cancel', this.#abort)
    this.wake()
  }

  /** Stops claiming, aborts running jobs and requeues them without costing an attempt. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelTimer?.()
    this.#runtime.signals.off('job', this.wake)
    this.#runtime.signals.off('cancel', this.#abort)
    await this.#claiming
    for (const { attempt } of this.#running.values()) attempt.abort(stopping)
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

  /** Whether a runnable job has waited longer than so many milliseconds while none started or ended. */
  late(ms: number): boolean {
    const now = this.#runtime.clock.now()
    if (now - this.#moved <= ms || this.#waits(now)) return false
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
    await this.#followClock(now)
    if (this.#expired(now).length > 0) await this.#runtime.store.change(() => this.#reclaimExpired(now))
    if (this.#waits(now)) return
    const nodes = this.#nodesWithRoom().filter((node) => anyDue(this.#runtime, node, now))
    if (nodes.length > 0)
      await this.#runtime.store.change(() => {
        for (const node of nodes) this.#begin(node, now)
      })
  }

  #shareOf = (node: string): number => (node === localNode ? this.#concurrency : jobsOfNode)

  /** Running jobs that are not about to end. */
  get #staying(): JobRow[] {
    return [...this.#running.values()].map(({ attempt }) => attempt.row).filter(({ id }) => !this.#leaving.has(id))
  }

  #nodesWithRoom(): readonly string[] {
    const counts = new Map<string, number>()
    for (const { node } of this.#staying) counts.set(node, (counts.get(node) ?? 0) + 1)
    return this.#runtime.nodes.begun.filter((node) => (counts.get(node) ?? 0) < this.#shareOf(node))
  }

  /** Whether no job may start, whatever is due. */
  #waits(now: number): boolean {
    const { reign, ports, store } = this.#runtime
    return reign.lost !== undefined || ports.licenseExpired(store, now)
  }

  /** Launched with the commit, so that a cancellation in the same commit finds the job running. */
  #begin(node: string, now: number): void {
    const running = this.#staying.filter((row) => row.node === node).map(({ lane }) => lane)
    const limit = this.#shareOf(node) - running.length
    const wanted = { node, owner: this.#owner, until: now + lease, now }
    const own = claim(this.#runtime, { ...wanted, limit })
    for (const row of [...own, ...this.#claimBeside(wanted, limit - own.length, running)]) {
      const attempt = this.#attempt(row)
      if (attempt.begin()) this.#runtime.store.afterCommit(() => this.#launch(attempt))
    }
  }

  /** Claims side lanes one by one, since each counts towards the limit for the next. */
  #claimBeside(
    wanted: Omit<Parameters<typeof claimSide>[1], 'full'>,
    limit: number,
    running: readonly (string | null)[],
  ): JobRow[] {
    const rows: JobRow[] = []
    while (rows.length < limit) {
      const full = this.#sideLanes.full([...running, ...rows.map(({ lane }) => lane)], this.#shareOf(wanted.node))
      const row = full && claimSide(this.#runtime, { ...wanted, full })
      if (!row) return rows
      rows.push(row)
    }
    return rows
  }

  /** A clock that was set back must not delay waiting jobs. */
  async #followClock(now: number): Promise<void> {
    const by = this.#looked - now
    if (by > clockSlack) await this.#runtime.store.change(() => setBack(this.#runtime, by))
    this.#looked = now
    this.#moved = Math.min(this.#moved, now)
  }

  /** Jobs whose end could not be written, for example because the disk was full. Excludes those running here. */
  #expired(now: number): JobRow[] {
    return expired(this.#runtime, now).filter(({ id }) => !this.#running.has(id))
  }

  #reclaimExpired(now: number): void {
    for (const row of this.#expired(now)) this.#attempt(row).reclaim()
  }

  #launch(attempt: Attempt): void {
    const { row } = attempt
    const leave = (): void => {
      this.#leaving.add(row.id)
      this.wake()
    }
    const done = attempt
      .run(leave)
      .catch((error: unknown) => this.#strand(row, error))
      .finally(() => {
        this.#running.delete(row.id)
        this.#leaving.delete(row.id)
        this.wake()
      })
    this.#running.set(row.id, { attempt, done })
    this.#moved = this.#runtime.clock.now()
  }

  #attempt(row: JobRow): Attempt {
    return new Attempt(this.#runtime, row, this.#report)
  }

  #strand(row: JobRow, error: unknown): void {
    this.#runtime.log.error(
      { err: error, job: row.id, request_id: row.request_id },
      'the end of a job could not be recorded',
    )
  }

  readonly #report = ({ id: job, kind, request_id, attempts }: JobRow, status: JobRow['status']): void => {
    this.#moved = this.#runtime.clock.now()
    this.#ended.inc(kind, status)
    this.#runtime.signals.emit('ended', job)
    this.#runtime.log.info({ job, kind, request_id, attempts, status }, 'job ended')
  }

  /** One process owns the store, so any other lease owner is dead. */
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
    for (const row of orphans) this.#attempt(row).reclaim()
    boundWaits(this.#runtime)
  }

  readonly #abort = (id: string): void => this.#running.get(id)?.attempt.abort(cancelled)

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
