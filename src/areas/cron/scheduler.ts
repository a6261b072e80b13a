import { readSchedule } from '../../contract/schedule/parse.ts'
import type { HostClient } from '../../host/contract/client.ts'
import type { Fleet } from '../../host/nodes/fleet/fleet.ts'
import type { Outside } from '../../runtime/areas/area.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { stopping } from '../../runtime/jobs/attempt.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { minute } from '../../shared/time.ts'
import { carryOut } from './run-now.ts'
import { addRun, goingOn, runningOf } from './runs.ts'
import { nextRun } from './schedule/next.ts'
import { anyScheduled, dueAt, earliest, scheduled, setCronJob } from './store.ts'
import type { CronJobRow } from './tables.ts'

/** Smaller clock steps are ignored. */
const clockSlack = 1_000

/** Reschedules every cron job: missed times are not caught up after a restart or when the clock is set back. */
export function planAll({ store, clock }: Runtime): void {
  const now = clock.now()
  for (const { id, schedule } of scheduled(store.db)) setCronJob({ store }, id, { next_run_at: next(schedule, now) })
}

export const next = (schedule: string, now: number): number => nextRun(readSchedule(schedule), now)

/** Runs cron jobs for hosts without a cron of their own. */
export class Scheduler implements Engine {
  readonly #runtime: Runtime
  readonly #client: HostClient
  readonly #fleet: Fleet
  readonly #stopping = new AbortController()
  readonly #runs = new Set<Promise<unknown>>()
  #round: Promise<void> = Promise.resolve()
  #cancelTimer = (): void => {}
  #looked: number

  constructor(runtime: Runtime, { host, fleet }: Pick<Outside, 'host' | 'fleet'>) {
    this.#runtime = runtime
    this.#client = host
    this.#fleet = fleet
    this.#looked = runtime.clock.now()
    runtime.signals.on('cronChange', this.#arm)
    this.#arm()
    for (const { job, id } of goingOn(runtime.store.db)) this.#run(job, id)
  }

  hold(): void {
    this.#cancelTimer()
    this.#runtime.signals.off('cronChange', this.#arm)
    this.#stopping.abort(stopping)
  }

  async stop(): Promise<void> {
    this.hold()
    await this.#round
    await this.idle()
  }

  /** Resolves when due runs have been started and none is running. */
  async idle(): Promise<void> {
    await this.#round
    await Promise.all(this.#runs)
  }

  /** Keeps the agent running while jobs are scheduled, and sets the timer for the next one. */
  readonly #arm = (): void => {
    const { store, clock } = this.#runtime
    this.#cancelTimer()
    if (this.#stopping.signal.aborted) return
    this.#client.stay('cron', anyScheduled(store.db))
    const wait = (earliest(store.db) ?? Number.POSITIVE_INFINITY) - clock.now()
    this.#cancelTimer = clock.after(Math.min(Math.max(0, wait), minute), () => {
      this.#round = this.#look().finally(this.#arm)
    })
  }

  async #look(): Promise<void> {
    const { store, clock, log } = this.#runtime
    const now = clock.now()
    const setBack = now < this.#looked - clockSlack
    this.#looked = now
    if (!setBack && dueAt(store.db, now).length === 0) return
    await store
      .change(() => (setBack ? planAll(this.#runtime) : this.#begin(now)))
      .catch((error: unknown) => log.error({ err: error }, 'cron jobs could not be started'))
  }

  #begin(now: number): void {
    for (const job of dueAt(this.#runtime.store.db, now)) {
      setCronJob(this.#runtime, job.id, { next_run_at: next(job.schedule, now) })
      if (job.active && now - job.next_run_at! < minute) this.#beginOne(job, now)
    }
  }

  /** Never runs twice concurrently: a skipped run is recorded instead. */
  #beginOne(job: CronJobRow, now: number): void {
    const { store } = this.#runtime
    const outcome = runningOf(store.db, job.id) ? 'skipped' : 'running'
    const made = { cron_job_id: job.id, trigger: 'schedule', outcome, started_at: now } as const
    const { id } = addRun(store, { id: this.#runtime.id(), ...made })
    if (outcome === 'running') store.afterCommit(() => this.#run(job, id))
  }

  #run(job: CronJobRow, id: string): void {
    const host = { runtime: this.#runtime, client: this.#client, fleet: this.#fleet }
    const run = carryOut(host, job, id, this.#stopping.signal)
      .catch((error: unknown) =>
        this.#runtime.log.error({ err: error, run: id }, 'the end of a run could not be recorded'),
      )
      .finally(() => this.#runs.delete(run))
    this.#runs.add(run)
  }
}
