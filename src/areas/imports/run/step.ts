import type { ImportStep } from '../../../contract/imports.ts'
import { Problem } from '../../../contract/problem.ts'
import { FileError, HostError } from '../../../host/contract/driver.ts'
import { BULK_SILENCE_LIMIT_MS, JobError, type JobKind, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Host } from '../../accounts/jobs/apply.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import { importById, setImport, setStep } from '../store.ts'
import type { ImportRow, StepState } from '../tables.ts'
import { admitNext } from './queue.ts'

/** What a step has done, and what to write with its end. */
export interface StepResult extends Partial<Pick<StepState, 'done' | 'total' | 'unit' | 'status'>> {
  readonly write?: (ctx: Context) => void
}

interface Step {
  readonly step: ImportStep
  /** The next one; none: the import is complete. */
  readonly next?: ImportStep
  run(host: Host, job: RunningJob, row: ImportRow): Promise<StepResult>
  undo?(host: Host, row: ImportRow, signal: AbortSignal): Promise<void>
  failed?(ctx: Context, row: ImportRow): void
}

export const laneOf = (id: string): string => `import:${id}`

export function importOf({ runtime }: Pick<Host, 'runtime'>, { row }: Pick<RunningJob, 'row'>): ImportRow {
  const found = importById(runtime.store.db, row.object_id!)
  if (!found) throw new JobError('The import no longer exists.', true)
  return found
}

/** Enqueues a step, with the account once there is one. */
export function enqueueStep(ctx: Context, id: string, step: ImportStep | 'activate'): string {
  const row = importById(ctx.db, id)!
  const account = row.account_id === null ? undefined : accountById(ctx.db, row.account_id)
  const job_id = ctx.enqueue({
    kind: `import.${step}`,
    object_id: id,
    lane: laneOf(id),
    ...(account && { account: nameOf(account) }),
  })
  setImport(ctx, id, { job_id })
  return job_id
}

/** A kind of job that does one step of an import, and enqueues the next. */
export const stepJob = (host: Host, { step, next, run, undo, failed }: Step): JobKind => ({
  kind: `import.${step}`,
  silenceLimitMs: BULK_SILENCE_LIMIT_MS,
  steps: [step],
  again: 'runImport',
  emits: ['account.created'],
  exists: ({ object_id }) => importById(host.runtime.store.db, object_id!) !== undefined,
  async run(job) {
    const { runtime } = host
    const row = importOf(host, job)
    job.step(step)
    await runtime.store.change(() => {
      const state = { status: 'running', job_id: job.row.id } as const
      setImport(runtime, row.id, { status: 'running', error: null })
      setStep({ ...runtime, db: runtime.store.db }, row.id, step, state)
    })
    const { write, ...done } = await run(host, job, importOf(host, job)).catch((error: unknown) =>
      keepError(host, row.id, error),
    )
    return (ctx) => {
      const { total = 1 } = done
      setStep(ctx, row.id, step, { status: 'succeeded', done: total, ...done })
      write?.(ctx)
      if (importById(ctx.db, row.id)?.status !== 'running') return admitNext(ctx)
      if (next) return void enqueueStep(ctx, row.id, next)
      setImport(ctx, row.id, { status: 'imported', finished_at: ctx.now })
      admitNext(ctx)
    }
  },
  ...(undo && {
    undo: async (job, signal) => {
      const row = importById(host.runtime.store.db, job.object_id!)
      if (row) await undo(host, row, signal)
    },
  }),
  failed(ctx, { object_id, error }) {
    const row = importById(ctx.db, object_id!)
    if (!row) return
    failed?.(ctx, row)
    const reason = row.error ?? error ?? 'The step could not be done.'
    setStep(ctx, row.id, step, { status: 'failed', error: reason })
    setImport(ctx, row.id, { status: 'failed', error: reason, finished_at: ctx.now })
    admitNext(ctx)
  },
})

/** What the caller can mend is the import's error, and not tried again. */
async function keepError({ runtime }: Host, id: string, error: unknown): Promise<never> {
  const isFinal =
    error instanceof FileError ||
    error instanceof Problem ||
    (error instanceof HostError && error.stage === 'precheck') ||
    (error instanceof JobError && error.final)
  if (!isFinal && !(error instanceof HostError) && !(error instanceof JobError)) throw error
  const reason = sentenceOf(error as Error)
  await runtime.store.change(() => setImport(runtime, id, { error: reason }))
  throw new JobError(reason, isFinal)
}

export const sentenceOf = (error: Error & { readonly field?: string | undefined }): string =>
  /^[A-Z]/.test(error.message) ? error.message : `${subjectOf(error)} ${error.message}`

/** The path may come from an upload, which has no field of that name. */
const subjectOf = ({ field = 'path' }: { readonly field?: string | undefined }): string =>
  field === 'path' ? 'The file' : `${field}:`
