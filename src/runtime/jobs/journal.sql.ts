import type Database from 'better-sqlite3'
import type { JobStep } from '../../contract/jobs.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto, update } from '../../store/rows.ts'
import type { Runtime } from '../runtime.ts'
import { type JobRow, jobLogs, jobs, type StepTime } from '../tables.ts'

// By hand: runs for each line of a job's log, in 5 µs instead of 200 with drizzle (bench/sql.ts).

type Level = 'info' | 'warn' | 'error'

interface LogLine {
  readonly at: number
  readonly level: Level
  readonly message: string
}

const flushEvery = 200
const MAX_LINE_LENGTH = 2_000
/** Of all lines of a job: nodes and tenants' programs choose how many there are. */
const MAX_LOG_LENGTH = 1024 * 1024
const TRUNCATED = 'The log has become too long: the lines that follow are left out.'

const insert = insertInto(jobLogs)
const change = update(jobs, 'id = ?')

const queries = prepared((sqlite: Database.Database) => ({
  mine: sqlite.prepare<[string, number]>("SELECT 1 FROM jobs WHERE id = ? AND fence = ? AND status = 'running'"),
  former: sqlite.prepare<[string], { readonly last: number | null; readonly length: number | null }>(
    'SELECT max(at) AS last, sum(length(message)) AS length FROM job_logs WHERE job_id = ?',
  ),
}))

/** A running job's log, progress and step: buffered, and written in small batches while it runs. */
export class JobJournal {
  readonly #runtime: Runtime
  readonly #row: JobRow
  #lines: LogLine[] = []
  #last: number
  #length: number
  #percent: number | undefined
  #steps: StepTime[] = []
  #stepped = false
  #planned = false

  constructor(runtime: Runtime, row: JobRow) {
    this.#runtime = runtime
    this.#row = row
    const { last, length } = queries(runtime.store.sqlite).former.get(row.id)!
    this.#last = last ?? 0
    this.#length = length ?? 0
  }

  /** `at` strictly increases within a job, so that `log_after` neither misses nor repeats a line. */
  add(message: string, level: Level = 'info'): void {
    if (this.#length >= MAX_LOG_LENGTH) return
    this.#line(message.slice(0, MAX_LINE_LENGTH), level)
    if (this.#length >= MAX_LOG_LENGTH) this.#line(TRUNCATED, 'warn')
    this.#plan()
  }

  #line(message: string, level: Level): void {
    this.#last = Math.max(this.#runtime.clock.now(), this.#last + 1)
    this.#length += message.length
    this.#lines.push({ at: this.#last, level, message })
  }

  progress(percent: number): void {
    this.#percent = Math.max(0, Math.min(100, Math.round(percent)))
    this.#plan()
  }

  step(step: JobStep): void {
    this.#steps = [...this.#steps, { step, at: this.#runtime.clock.now() }]
    this.#stepped = true
    this.#plan()
  }

  /** Writes the buffered lines; call inside a change. */
  flush(): void {
    const { sqlite } = this.#runtime.store
    for (const line of this.#lines.splice(0)) insert(sqlite, { job_id: this.#row.id, ...line })
    if (this.#percent !== undefined) change(sqlite, { progress_pct: this.#percent }, this.#row.id)
    if (this.#stepped) change(sqlite, { step: this.#steps.at(-1)!.step, step_times: this.#steps }, this.#row.id)
    this.#percent = undefined
    this.#stepped = false
  }

  #plan(): void {
    if (this.#planned) return
    this.#planned = true
    this.#runtime.clock.after(flushEvery, () => void this.#flushWhileRunning())
  }

  async #flushWhileRunning(): Promise<void> {
    this.#planned = false
    if (this.#lines.length === 0 && this.#percent === undefined && !this.#stepped) return
    let lines: LogLine[] = []
    await this.#runtime.store
      .change(() => {
        lines = [...this.#lines]
        if (this.#stillMine()) this.flush()
      })
      .catch(() => {
        this.#lines = [...new Set([...lines, ...this.#lines])]
      })
  }

  #stillMine(): boolean {
    return queries(this.#runtime.store.sqlite).mine.get(this.#row.id, this.#row.fence) !== undefined
  }
}
