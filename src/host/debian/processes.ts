import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { HostError } from '../contract/error.ts'
import { textOf } from './fragments.ts'

const POLL_INTERVAL_MS = 5
const EXIT_TIMEOUT_MS = 10_000
const toEnd = 3_000

/** A daemon, identified by its pid file. */
export interface Daemon {
  readonly program: string
  readonly pidFile: string
}

/** Signals a daemon without going through systemd; false if it is not running as its pid file says. */
export function signalDaemon({ program, pidFile }: Daemon, name: NodeJS.Signals): boolean {
  const pid = Number(textOf(pidFile)?.trim())
  if (!(pid > 1) || programOf(pid) !== program) return false
  signal(pid, name)
  return true
}

/** The program that a process runs, if it exists. */
export const programOf = (pid: number): string | undefined => /^Name:\t(.*)$/m.exec(statusOf(pid, '/proc') ?? '')?.[1]

/** Asks a process to end, so that it can clean up; kills it at the time limit. */
export async function endGently(pid: number, timeoutMs = toEnd): Promise<void> {
  signal(pid, 'SIGTERM')
  const end = performance.now() + timeoutMs
  while (isThere(pid)) {
    if (performance.now() > end) return signal(pid, 'SIGKILL')
    await after(POLL_INTERVAL_MS)
  }
}

/** Kills all processes of a uid until none is left, new ones included; `spared` are processes of ours. */
export async function endAllOf(uid: number, spared: ReadonlySet<number> = new Set(), proc = '/proc'): Promise<void> {
  const end = performance.now() + EXIT_TIMEOUT_MS
  for (let left = runningAs(uid, spared, proc); left.length > 0; left = runningAs(uid, spared, proc)) {
    if (performance.now() > end) throw new HostError('remove', `Processes of the user ${uid} could not be ended.`)
    for (const pid of left) signal(pid, 'SIGKILL')
    await after(POLL_INTERVAL_MS)
  }
}

const runningAs = (uid: number, spared: ReadonlySet<number>, proc: string): number[] =>
  readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid && !spared.has(pid) && isOf(pid, uid, proc))

function isOf(pid: number, uid: number, proc: string): boolean {
  const status = statusOf(pid, proc)
  return status !== undefined && new RegExp(`^Uid:.*\\t${uid}\\b`, 'm').test(status)
}

const isThere = (pid: number): boolean => statusOf(pid, '/proc') !== undefined

/** A zombie counts for no account. */
function statusOf(pid: number, proc: string): string | undefined {
  try {
    const status = readFileSync(`${proc}/${pid}/status`, 'utf8')
    return /^State:\tZ/m.test(status) ? undefined : status
  } catch {
    return undefined
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}
