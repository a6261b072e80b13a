import { JobError, type JobKind, type RunningJob } from '../../runtime/jobs/job-kind.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { applyOrDiscardJob } from '../accounts/objects/pending-objects-job.ts'
import { type CronHost, carryOut, type RunEnd } from './run-now.ts'
import { endRun, runById } from './runs.ts'
import { cronJobById, cronJobsOf, markApplied, removeUnapplied } from './store.ts'
import type { CronJobRow } from './tables.ts'

const runOf = ({ payload }: JobRow): string => payload['run']!

/** Runs the command once: a run that has ended, even with the server, is not repeated. */
async function run(host: CronHost, job: RunningJob): Promise<undefined> {
  const { db } = host.runtime.store
  const [cronJob, made] = [cronJobById(db, job.row.object_id!), runById(db, runOf(job.row))]
  if (!cronJob || !made) throw new JobError('The cron job no longer exists.', true)
  const end = made.outcome === 'running' ? await carryOut(host, cronJob, made.id, job.signal) : made
  job.signal.throwIfAborted()
  if (!end) return
  if (end.outcome !== 'succeeded') throw new JobError(sentence(end, cronJob), true)
}

export function sentence({ outcome, exit_code, signal, output }: RunEnd, { timeout_s }: CronJobRow): string {
  if (outcome === 'timeout') return `The command ran longer than ${timeout_s} seconds and was killed.`
  if (outcome === 'interrupted') return 'The run was interrupted; it is not run again by itself.'
  if (signal) return `The command was killed by ${signal}.`
  return exit_code === null || exit_code === undefined
    ? (output ?? 'The command could not be run; see the server log.')
    : `The command exited with code ${exit_code}.`
}

export function cronJobKinds(host: CronHost): JobKind[] {
  const { store, clock } = host.runtime
  const end = (job: JobRow) => endRun(store, runOf(job), { outcome: 'interrupted', finished_at: clock.now() })
  return [
    applyOrDiscardJob(host, {
      kind: 'cron.apply',
      area: 'cron',
      ids: (db, account) => cronJobsOf(db, account).map(({ id }) => id),
      markApplied,
      removeUnapplied,
    }),
    {
      kind: 'cron.run',
      // A command may take a day, and prints at its end.
      silenceLimitMs: 25 * 60 * 60_000,
      failure: 'reported',
      maxAttempts: 1,
      cancellable: true,
      exists: ({ object_id }) => cronJobById(store.db, object_id!) !== undefined,
      run: (job) => run(host, job),
      failed: (_ctx, job) => end(job),
      cancelled: (_runtime, job) => end(job),
    },
  ]
}
