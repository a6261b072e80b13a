import { desc, eq } from 'drizzle-orm'
import type { Runtime } from './runtime.ts'
import { type JobRow, jobLogs, jobs } from './tables.ts'

type Level = 'info' | 'warn' | 'error'
const flushEvery = 200
const longest = 2_000

/** A running job's log and progress: gathered, and written in small steps while it runs. */
export class JobJournal {
  readonly #runtime: Runtime
  readonly #row: JobRow
  #lines: { at: number; level: Level; message: string }[] = []
  #last: number
  #percent: number | undefined
  #planned = false

  constructor(runtime: Runtime, row: JobRow) {
    this.#runtime = runtime
    this.#row = row
    this.#last = this.#lastLine()
  }

  /** `at` rises strictly within a job, so that `log_after` misses and repeats nothing. */
  add(message: string, level: Level = 'info'): void {
    this.#last = Math.max(this.#runtime.clock.now(), this.#last + 1)
    this.#lines.push({ at: this.#last, level, message: message.slice(0, longest) })
    this.#plan()
  }

  progress(percent: number): void {
    this.#percent = Math.max(0, Math.min(100, Math.round(percent)))
    this.#plan()
  }

  /** Writes what was gathered; to be called inside a change. */
  flush(): void {
    const { db } = this.#runtime.store
    for (const line of this.#lines.splice(0))
      db.insert(jobLogs)
        .values({ job_id: this.#row.id, ...line })
        .run()
    if (this.#percent === undefined) return
    db.update(jobs).set({ progress_pct: this.#percent }).where(eq(jobs.id, this.#row.id)).run()
    this.#percent = undefined
  }

  #plan(): void {
    if (this.#planned) return
    this.#planned = true
    this.#runtime.clock.after(flushEvery, () => void this.#flushWhileRunning())
  }

  async #flushWhileRunning(): Promise<void> {
    this.#planned = false
    if (this.#lines.length === 0 && this.#percent === undefined) return
    const lines = [...this.#lines]
    await this.#runtime.store
      .change(() => {
        if (this.#stillMine()) this.flush()
      })
      .catch(() => this.#lines.unshift(...lines))
  }

  #stillMine(): boolean {
    const job = this.#runtime.store.db
      .select({ fence: jobs.fence, status: jobs.status })
      .from(jobs)
      .where(eq(jobs.id, this.#row.id))
      .get()
    return job?.fence === this.#row.fence && job.status === 'running'
  }

  #lastLine(): number {
    const { db } = this.#runtime.store
    const line = db
      .select({ at: jobLogs.at })
      .from(jobLogs)
      .where(eq(jobLogs.job_id, this.#row.id))
      .orderBy(desc(jobLogs.at))
      .get()
    return line?.at ?? 0
  }
}
