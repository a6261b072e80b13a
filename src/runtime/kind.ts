import type { EventType } from '../contract/events.ts'
import type { JobStep } from '../contract/jobs.ts'
import type { NoticeKind } from '../contract/notices.ts'
import type { Context } from './context.ts'
import type { Runtime } from './runtime.ts'
import type { JobRow } from './tables.ts'

/** A job as its kind sees it while it runs. */
export interface RunningJob {
  readonly row: JobRow
  readonly signal: AbortSignal
  log(message: string, level?: 'info' | 'warn' | 'error'): void
  /** How much is done, 0 to 100. */
  progress(percent: number): void
  /** What it is at; one that its kind does not declare, or that lies behind it, changes nothing. */
  step(step: JobStep): void
}

/** The last step of a job: runs in the change that ends it. */
export type Settle = (ctx: Context) => void

/** What a kind of job does. It may run twice, late, or after a crash, and must converge. */
export interface JobKind {
  readonly kind: string
  /** What it goes through, in order. */
  readonly steps?: readonly JobStep[]
  /** 3 unless said. */
  readonly maxAttempts?: number
  readonly cancellable?: true
  /** Whether it has gone so far that it can no longer be cancelled. */
  isTooLate?(job: JobRow): boolean
  /** Whether what it works on is still there; where not said, whether its account is. */
  exists?(job: JobRow): boolean
  /** Values by now that the log does not show. */
  secrets?(job: JobRow): readonly string[]
  /** What its failure is called in notices; `told`: its area says itself what that means. */
  readonly failure?: NoticeKind | 'told'
  /** The operation that does the same again, where it cannot be retried. */
  readonly again?: string
  /** Whose failed jobs of this kind its success mends: its account's, or its object's if not given. */
  readonly mends?: 'account'
  readonly emits?: readonly EventType[]
  /** Brings the outside in line with the store; answers what to write when it is done. */
  run(job: RunningJob): Promise<Settle | undefined>
  /** Takes back what it did outside, when it failed for good; safe to repeat. */
  undo?(job: JobRow, signal: AbortSignal): Promise<void>
  /** What to write when it failed for good, in the change that says so. */
  failed?(ctx: Context, job: JobRow): void
  /** What to write when it was cancelled, in the change that says so. */
  cancelled?(runtime: Runtime, job: JobRow): void
}

declare module './runtime.ts' {
  interface Runtime {
    readonly kinds: ReadonlyMap<string, JobKind>
  }
}

/** An error whose message is a sentence for people; anything else is told as an internal error. */
export class JobError extends Error {
  /** No further attempt would help. */
  readonly final: boolean
  constructor(message: string, final = false) {
    super(message)
    this.name = 'JobError'
    this.final = final
  }
}
