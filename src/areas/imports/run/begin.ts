import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { countsOf } from '../plan/report.ts'
import { importById, setImport, setStep } from '../store.ts'
import { admit } from './queue.ts'
import { enqueueStep } from './step.ts'

const order = ['unpack', 'account', 'mysql', 'mail', 'settle', 'check'] as const

/** Begins a run, or goes on with the first step that is not done. Returns the job's id. */
export function beginRun(ctx: Context, id: string): string {
  const { steps, account_id, status } = importById(ctx.db, id)!
  const isDone = (step: (typeof order)[number]) => ['succeeded', 'skipped'].includes(steps[step]?.status ?? '')
  const first =
    (account_id !== null || isDone('unpack')) && status !== 'ready' ? order.find((step) => !isDone(step)) : 'unpack'
  const job = enqueueStep(ctx, id, first ?? 'check')
  setImport(ctx, id, { error: null, finished_at: null })
  setStep(ctx, id, first ?? 'check', { status: 'pending', job_id: job })
  admit(ctx, id, job)
  return job
}

/** 409 `blocked` with the number of conflicts. */
export function refuseBlocked(report: Parameters<typeof countsOf>[0]): void {
  const { conflicts } = countsOf(report)
  if (conflicts === 0) return
  const what = conflicts === 1 ? '1 conflict prevents' : `${conflicts} conflicts prevent`
  throw new Problem('blocked', `${what} the import; its report names what solves each.`)
}
