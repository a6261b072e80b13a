import { exit } from '../../shared/exit.ts'
import { badAnswer, CliError, stillRunning } from '../errors.ts'
import { type Client, pause } from './client.ts'
import { ownAccountOf } from './own-account.ts'

export interface AwaitedJob {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly progress_pct: number
  readonly step?: string
  readonly error?: string
  /** Apart from earlier jobs. */
  readonly waiting_for?: string
}

export interface LogLine {
  readonly at: number
  readonly level: string
  readonly message: string
}

export interface JobAndLog {
  readonly job: AwaitedJob
  readonly log: readonly LogLine[]
}

export interface Followed {
  readonly job: string
  /** The job's account, through which an account token reads it. */
  readonly account?: string | undefined
}

const firstPause = 50
const MAX_POLL_INTERVAL_MS = 2000
const MAX_FAILURES = 5

export const isFinal = ({ status }: AwaitedJob): boolean => !['queued', 'leased', 'running'].includes(status)

export interface Watching {
  show(news: JobAndLog): void
  readonly deadline: number
  /** Stops watching. */
  readonly signal: AbortSignal
}

/** Polls the job at growing intervals, and shows what is new. */
export async function watch(
  client: Client,
  followed: Followed,
  { show, deadline, signal }: Watching,
): Promise<AwaitedJob> {
  let after: number | undefined
  for (let wait = firstPause; ; wait = Math.min(wait * 1.25, MAX_POLL_INTERVAL_MS)) {
    const news = await patiently(() => readJob(client, followed, after), deadline)
    after = news.log.at(-1)?.at ?? after
    show(news)
    if (isFinal(news.job)) return news.job
    const left = deadline - performance.now()
    if (left <= 0) throw runsOn(news.job)
    await pause(Math.min(wait, left), signal)
    signal.throwIfAborted()
  }
}

/** Waits for a server that restarts during a job. */
async function patiently<T>(read: () => Promise<T>, deadline: number): Promise<T> {
  for (let problem = 1; ; problem++) {
    try {
      return await read()
    } catch (error) {
      const lost = error instanceof CliError && (error.exit === exit.network || (error.problem.status ?? 0) >= 502)
      if (!lost || problem === MAX_FAILURES || performance.now() >= deadline) throw error
      await pause(500 * problem)
    }
  }
}

/** A job and its log lines after a moment. */
export async function readJob(client: Client, { job, account }: Followed, after?: number): Promise<JobAndLog> {
  const query = after === undefined ? {} : { log_after: after }
  const read = (path: string) => client.call({ method: 'GET', path, query })
  const answer = await read(`/jobs/${encodeURIComponent(job)}`).catch(async (error: unknown) => {
    if (!(error instanceof CliError) || error.exit !== exit.auth) throw error
    const owner = account ?? (await ownAccountOf(client, error)).id
    return read(`/accounts/${owner}/jobs/${encodeURIComponent(job)}`)
  })
  const news = answer.body as Partial<JobAndLog> | null
  if (typeof news?.job?.status !== 'string' || !Array.isArray(news.log)) throw badAnswer(client.target)
  return news as JobAndLog
}

/** How to resume waiting. */
export const resume = (job: string): string => `keep waiting with: panel jobs wait ${job}`

/** The status, and why it waits. */
export const statusOf = ({ status, waiting_for }: AwaitedJob): string =>
  waiting_for === undefined ? status : `${status}, since it waits: ${waiting_for}`

const runsOn = (job: AwaitedJob) => stillRunning(`job ${job.id} is still ${statusOf(job)}`, resume(job.id))
