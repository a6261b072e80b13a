import { type BegunRun, type CommandEnd, HostError, leaving } from '../../host/contract/driver.ts'
import type { Fleet } from '../../host/nodes/fleet/fleet.ts'
import { pause } from '../../runtime/clock/interval.ts'
import { stopping } from '../../runtime/jobs/attempt.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import { minute } from '../../shared/time.ts'
import type { Host } from '../accounts/jobs/apply.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { endRun } from './runs.ts'
import type { CronJobRow, CronRunRow } from './tables.ts'

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** The runs of an account, or of one cron job, must end. */
    cronEnd: [of: string]
    /** The set of scheduled cron jobs has changed. */
    cronChange: []
  }
}

/** What runs need to reach the hosts of all nodes. */
export interface CronHost extends Host {
  readonly fleet: Fleet
}

export type RunEnd = Partial<CronRunRow> & Pick<CronRunRow, 'outcome'>

/** Runs handed to the host by this process or an earlier one. */
const handed = new WeakMap<Runtime, Set<string>>()

export const noteHanded = (runtime: Runtime, runs: readonly string[]): void => void handed.set(runtime, new Set(runs))

/**
 * Runs a command on the host, once, and records its result. A suspension or `signal` ends it early. If the server stops
 * and the host outlives it, the command continues and nothing is recorded: the next server asks for the result.
 */
export async function carryOut(
  host: CronHost,
  job: CronJobRow,
  run: string,
  signal: AbortSignal,
): Promise<RunEnd | undefined> {
  const { runtime } = host
  const begun = handed.get(runtime)!
  const isBegun = begun.has(run)
  begun.add(run)
  const end = await unlessEnded(host, job, signal, (either) => endOf(host, job, run, either, isBegun))
  if (!end) return undefined
  await runtime.store.change(() => endRun(runtime.store, run, { ...end, finished_at: runtime.clock.now() }))
  begun.delete(run)
  return end
}

async function unlessEnded<T>(
  host: CronHost,
  { id, account_id }: CronJobRow,
  signal: AbortSignal,
  act: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signals } = host.runtime
  const stop = new AbortController()
  const hear = (of: string): void => {
    if (of === id || of === account_id) stop.abort()
  }
  const pass = (): void =>
    stop.abort(signal.reason === stopping && outlives(host, account_id) ? leaving : signal.reason)
  signals.on('cronEnd', hear)
  signal.addEventListener('abort', pass)
  if (signal.aborted) pass()
  try {
    return await act(stop.signal)
  } finally {
    signals.off('cronEnd', hear)
    signal.removeEventListener('abort', pass)
  }
}

/** Whether an account's commands continue without this server. */
function outlives({ runtime, fleet }: CronHost, account: string): boolean {
  const node = accountById(runtime.store.db, account)?.node ?? localNode
  return fleet.driverOf(node).kind === 'debian'
}

const interrupted: RunEnd = { outcome: 'interrupted' }

async function endOf(
  { runtime, client }: Host,
  job: CronJobRow,
  run: string,
  signal: AbortSignal,
  isBegun: boolean,
): Promise<RunEnd | undefined> {
  const account = accountById(runtime.store.db, job.account_id)
  if (!account || account.suspended_at !== null || account.terminating) return interrupted
  const { command, timeout_s: timeoutS } = job
  const mailTo = job.mail && account.contact_email ? { mailTo: account.contact_email } : {}
  const named = { account: hostNameOf(account), run }
  const begin = () => client.runCron({ ...named, command, timeoutS, ...mailTo }, { signal })
  try {
    const end = (isBegun ? undefined : await begin()) ?? (await endOfBegun({ runtime, client }, named, signal))
    return end ? toEnd(end) : interrupted
  } catch (error) {
    if (error === leaving) return undefined
    if (signal.aborted) return interrupted
    if (!(error instanceof HostError)) runtime.log.error({ err: error, run }, 'a cron job could not be run')
    return { outcome: 'failed', output: error instanceof HostError ? error.message : null }
  }
}

/** The result of a started run: its node may be unreachable while the command continues there. */
async function endOfBegun(
  { runtime, client }: Host,
  run: BegunRun,
  signal: AbortSignal,
): Promise<CommandEnd | undefined> {
  for (;;) {
    try {
      return (await client.awaitCron(run, { signal })).end ?? undefined
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      if (error.stage === 'unsupported') return undefined
      if (error.code !== 'unreachable') throw error
    }
    await pause(runtime.clock, minute, signal)
    signal.throwIfAborted()
  }
}

function toEnd({ exitCode, signal, timedOut, output, truncated }: CommandEnd): RunEnd {
  const outcome = timedOut ? 'timeout' : exitCode === 0 ? 'succeeded' : 'failed'
  return { outcome, exit_code: exitCode ?? null, signal: signal ?? null, output, truncated }
}
