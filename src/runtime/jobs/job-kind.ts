import type { EventType } from '../../contract/events.ts'
import type { JobStep } from '../../contract/jobs.ts'
import type { NoticeKind } from '../../contract/notices.ts'
import type { Db } from '../../store/open.ts'
import type { Context } from '../operations/context.ts'
import type { Runtime } from '../runtime.ts'
import type { JobRow } from '../tables.ts'

/** A running job, as its kind sees it. */
export interface RunningJob {
  readonly row: JobRow
  readonly signal: AbortSignal
  log(message: string, level?: 'info' | 'warn' | 'error'): void
  /** In percent. */
  progress(percent: number): void
  /** Sets the current step; undeclared and earlier steps are ignored. */
  step(step: JobStep): void
}

/** Runs in the change that ends the job. */
export type Settle = (ctx: Context) => void

/** A kind of job. It may run twice, late, or after a crash, and must converge. */
export interface JobKind {
  readonly kind: string
  /** Its steps, in order. */
  readonly steps?: readonly JobStep[]
  /** Default: 3. */
  readonly maxAttempts?: number
  readonly cancellable?: true
  /** Whether it overtakes the other jobs of its lane, the running one too, and may use the slots for such jobs. */
  urgent?(db: Db, accountId: string): boolean
  /** How long it may show no progress (log, percent or step) before it fails for good. Default: 30 minutes. */
  readonly silenceLimitMs?: number
  /** Whether it is too late to cancel. */
  isTooLate?(job: JobRow): boolean
  /** Whether its object still exists; by default, whether its account does. */
  exists?(job: JobRow): boolean
  /** Values to redact from the log. */
  secrets?(job: JobRow): readonly string[]
  /** The notice for its failure; `reported`: the area writes its own. */
  readonly failure?: NoticeKind | 'reported'
  /** The operation to repeat, for jobs that cannot be retried. */
  readonly again?: string
  /** Whose earlier failed jobs of this kind a success resolves: the account's, by default the object's. */
  readonly resolves?: 'account'
  readonly emits?: readonly EventType[]
  /** Makes the host match the store; returns what to write at the end. */
  run(job: RunningJob): Promise<Settle | undefined>
  /** Undoes its outside effects after the final failure; idempotent. */
  undo?(job: JobRow, signal: AbortSignal): Promise<void>
  /** Runs in the change that records the final failure. */
  failed?(ctx: Context, job: JobRow): void
  /** Runs in the change that records the cancellation. */
  cancelled?(runtime: Runtime, job: JobRow): void
}

declare module '../runtime.ts' {
  interface Runtime {
    readonly kinds: ReadonlyMap<string, JobKind>
  }
}

/** An error with a message for users; any other is shown as an internal error. */
export class JobError extends Error {
  /** Whether retrying is pointless. */
  readonly final: boolean
  constructor(message: string, final = false) {
    super(message)
    this.name = 'JobError'
    this.final = final
  }
}

/** The silence limit for copying, packing and building: one step may take hours. */
export const BULK_SILENCE_LIMIT_MS = 12 * 60 * 60_000
