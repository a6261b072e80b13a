import { exit } from '../../shared/exit.ts'
import { CliError, interrupted, jobFailed } from '../errors.ts'
import { durationOption } from '../input/values.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { type Progress, progressFor } from '../output/progress.ts'
import type { Client } from '../request/client.ts'
import { type AwaitedJob, type Followed, resume, watch } from '../request/job.ts'
import { note } from '../terminal.ts'

/** Waits for a job to end; throws unless it succeeded. */
export async function finish(
  invocation: Invocation,
  client: Client,
  followed: Followed,
  deadline = deadlineOf(invocation),
): Promise<AwaitedJob> {
  const progress = await progressFor(invocation.globals)
  try {
    const job = await untilInterrupted(followed, (signal) =>
      watch(client, followed, { show: progress.show, deadline, signal }),
    )
    progress.end()
    if (job.status !== 'succeeded') throw failed(job, progress)
    return job
  } finally {
    progress.end()
  }
}

/** Follows each job to its end, within one deadline; reports all errors and throws the first. */
export async function finishAll(invocation: Invocation, client: Client, all: readonly Followed[]): Promise<void> {
  const deadline = deadlineOf(invocation)
  const errors: CliError[] = []
  for (const followed of all)
    await finish(invocation, client, followed, deadline).catch((error: unknown) => {
      if (!(error instanceof CliError) || error.exit === exit.interrupted) throw error
      errors.push(error)
    })
  for (const { problem } of errors.slice(1)) note([problem.title, problem.detail ?? []].flat().join(': '))
  if (errors[0]) throw errors[0]
}

function deadlineOf(invocation: Invocation): number {
  const provided = textOption(invocation, 'wait-timeout')
  return provided === undefined
    ? Number.POSITIVE_INFINITY
    : performance.now() + durationOption('wait-timeout', provided)
}

function failed(job: AwaitedJob, progress: Progress): CliError {
  for (const line of progress.hidden()) note(`  ${line.level}: ${line.message}`)
  return jobFailed(`job ${job.id} (${job.kind}) ${job.status}`, job.error)
}

/** Ctrl-C stops following, not the job. */
async function untilInterrupted<T>({ job }: Followed, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  const stop = (): void => controller.abort(interrupted(`job ${job} keeps running`, resume(job)))
  process.once('SIGINT', stop)
  try {
    return await Promise.race([work(signal), aborted(signal)])
  } finally {
    process.off('SIGINT', stop)
  }
}

/** Rejects on abort: a hung request is not waited for. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
