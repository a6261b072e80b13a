import { type CommandEnd, HostError } from '../../host/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Host } from '../accounts/apply.ts'
import { hostNameOf } from '../accounts/state.ts'
import { accountById } from '../accounts/store.ts'
import { endRun } from './runs.ts'
import type { CronJobRow, CronRunRow } from './tables.ts'

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** Runs of an account, or of one of its cron jobs, are to end. */
    cronEnd: [of: string]
    /** What runs by its schedule has changed. */
    cronChange: []
  }
}

export type RunEnd = Partial<CronRunRow> & Pick<CronRunRow, 'outcome'>

/** Runs a command on the host, once, and writes how it ended. A suspension or `signal` ends it early. */
export async function carryOut(host: Host, job: CronJobRow, run: string, signal: AbortSignal): Promise<RunEnd> {
  const { runtime } = host
  const end = await unlessEnded(runtime, job, signal, (either) => endOf(host, job, run, either))
  await runtime.store.change(() => endRun(runtime.store, run, { ...end, finished_at: runtime.clock.now() }))
  return end
}

async function unlessEnded<T>(
  { signals }: Runtime,
  { id, account_id }: CronJobRow,
  signal: AbortSignal,
  act: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const hear = (of: string): void => {
    if (of === id || of === account_id) stop.abort()
  }
  signals.on('cronEnd', hear)
  try {
    return await act(AbortSignal.any([stop.signal, signal]))
  } finally {
    signals.off('cronEnd', hear)
  }
}

const interrupted: RunEnd = { outcome: 'interrupted' }

async function endOf({ runtime, client }: Host, job: CronJobRow, run: string, signal: AbortSignal): Promise<RunEnd> {
  const account = accountById(runtime.store.db, job.account_id)
  if (!account || account.suspended_at !== null || account.terminating) return interrupted
  const { command, timeout_s: timeoutS } = job
  const mailTo = job.mail && account.contact_email ? { mailTo: account.contact_email } : {}
  try {
    const end = await client.runCron({ account: hostNameOf(account), run, command, timeoutS, ...mailTo }, { signal })
    return end ? toEnd(end) : interrupted
  } catch (error) {
    if (signal.aborted) return interrupted
    if (!(error instanceof HostError)) runtime.log.error({ err: error, run }, 'a cron job could not be run')
    return { outcome: 'failed', output: error instanceof HostError ? error.message : null }
  }
}

function toEnd({ exitCode, signal, timedOut, output, truncated }: CommandEnd): RunEnd {
  const outcome = timedOut ? 'timeout' : exitCode === 0 ? 'succeeded' : 'failed'
  return { outcome, exit_code: exitCode ?? null, signal: signal ?? null, output, truncated }
}
