import { and, inArray, ne, or, sql } from 'drizzle-orm'
import { localNode } from '../../shared/node-name.ts'
import type { Counter } from '../metrics/registry.ts'
import type { Runtime } from '../runtime.ts'
import { type JobRow, jobs } from '../tables.ts'
import { Attempt, cancelled, lease, overtaken, stopping } from './attempt.ts'
import { anyDue, claim, claimSide, claimUrgent, expired, lanesOfUrgent, nextDue, runnableSince } from './claim.sql.ts'
import { claimLimit, freeSlots, fullTenants, SideLanes } from './lane-limits.ts'
import { jobsOfNode, URGENT_JOBS_OF_NODE } from './nodes.ts'
import { boundWaits, setBack } from './queue.ts'

const poll = 5_000
/** Local jobs beyond the usual limit, for urgent ones only. */
const URGENT_JOBS = 2
/** Smaller clock steps are ignored. */
const clockSlack = 1_000

type ClaimParams = Omit<Parameters<typeof claimUrgent>[1], 'tenants'>

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
    return this.#runtime.nodes.begun.some((node) => {
      const running = this.#runningOn(node)
      return runnableSince(this.#runtime, node, now - ms, fullTenants(running, this.#freeOn(node, running).ordinary))
    })
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
    const nodes = this.#runtime.nodes.begun.filter((node) => this.#mayBegin(node, now))
    if (nodes.length > 0)
      await this.#runtime.store.change(() => {
        for (const node of nodes) this.#begin(node, now)
      })
  }

  #shareOf = (node: string): number => (node === localNode ? this.#concurrency : jobsOfNode)

  #extraOf = (node: string): number => (node === localNode ? URGENT_JOBS : URGENT_JOBS_OF_NODE)

  /** Running jobs that are not about to end. */
  get #staying(): JobRow[] {
    return [...this.#running.values()].map(({ attempt }) => attempt.row).filter(({ id }) => !this.#leaving.has(id))
  }

  #runningOn(node: string): JobRow[] {
    return this.#staying.filter((row) => row.node === node)
  }

  #freeOn(node: string, running: readonly JobRow[]): { readonly ordinary: number; readonly extra: number } {
    return freeSlots(running, this.#shareOf(node), this.#extraOf(node))
  }

  /** Aborts what urgent jobs overtake, so that their lanes become free. */
  #mayBegin(node: string, now: number): boolean {
    const lanes = lanesOfUrgent(this.#runtime, node, now)
    if (lanes.length > 0) this.#interrupt(new Set(lanes))
    const { ordinary, extra } = this.#freeOn(node, this.#runningOn(node))
    return (extra > 0 && lanes.length > 0) || (ordinary > 0 && anyDue(this.#runtime, node, now))
  }

  #interrupt(lanes: ReadonlySet<string | null>): void {
    for (const { attempt } of this.#running.values())
      if (!attempt.row.urgent && lanes.has(attempt.row.lane)) attempt.abort(overtaken)
  }

  /** Whether no job may start, whatever is due. */
  #waits(now: number): boolean {
    const { leadership, ports, store } = this.#runtime
    return leadership.lost !== undefined || ports.licenseExpired(store, now)
  }

  /** Launched with the commit, so that a cancellation in the same commit finds the job running. */
  #begin(node: string, now: number): void {
    const running = this.#runningOn(node)
    const params = { node, owner: this.#owner, until: now + lease, now }
    const before = running.length
    for (const claimNext of [this.#claimUrgent, this.#claimOwn, this.#claimSide])
      for (let rows = claimNext(params, running); rows.length > 0; rows = claimNext(params, running))
        running.push(...rows)
    for (const row of running.slice(before)) {
      const attempt = this.#attempt(row)
      if (attempt.begin()) this.#runtime.store.afterCommit(() => this.#launch(attempt))
    }
  }

  /** One at a time; of each tenant one in the slots for them, and more as its share of the others allows. */
  readonly #claimUrgent = (params: ClaimParams, running: readonly JobRow[]): JobRow[] => {
    const { ordinary, extra } = this.#freeOn(params.node, running)
    const served = running.flatMap(({ urgent, tenant }) => (urgent && tenant !== null ? tenant : []))
    const full = fullTenants(running, ordinary)
    const rounds = [...(extra > 0 ? [served] : []), ...(ordinary > 0 ? [[...served, ...full], full] : [])]
    return this.#first(rounds, (tenants) => claimUrgent(this.#runtime, { ...params, tenants }))
  }

  /** As many as none of the tenants can exceed its share with. */
  readonly #claimOwn = (params: ClaimParams, running: readonly JobRow[]): JobRow[] => {
    const free = this.#freeOn(params.node, running).ordinary
    if (free === 0) return []
    return claim(this.#runtime, {
      ...params,
      limit: claimLimit(running, free),
      tenants: fullTenants(running, free),
    })
  }

  /** One at a time, since each counts towards the limits for the next. */
  readonly #claimSide = (params: ClaimParams, running: readonly JobRow[]): JobRow[] => {
    const free = this.#freeOn(params.node, running).ordinary
    if (free === 0) return []
    const tenants = fullTenants(running, free)
    return this.#first(this.#sideLanes.full(running, this.#shareOf(params.node)), ({ families: full, parts }) =>
      claimSide(this.#runtime, { ...params, tenants, full, parts }),
    )
  }

  #first<T>(rounds: readonly T[], next: (round: T) => JobRow | undefined): JobRow[] {
    for (const round of rounds) {
      const row = next(round)
      if (row) return [row]
    }
    return []
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
