import type { ChildProcess } from 'node:child_process'
import { giveWay as beNice } from '../../shared/priority.ts'
import { endAll } from './processes.ts'

/** As `nice` does. */
const nice = 10

/** Lets the panel go first. */
export const giveWay = (pid: number): void => beNice(nice, pid)

/** How a process ended. */
export interface Ended {
  readonly exitCode?: number
  readonly signal?: string
}

/** When it has ended, and what holds its output. */
export const ended = (child: ChildProcess): Promise<Ended> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code === null ? { signal: signal! } : { exitCode: code }))
  })

export interface Limits {
  readonly mark: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Kills everything that was started, at the timeout or on cancellation. */
export function limitOf(child: ChildProcess, { mark, timeoutMs, signal }: Limits) {
  let timedOut = false
  let killing: Promise<void> | undefined
  const kill = (): void => {
    killing ??= endAll({ mark, session: child.pid }).then(() => void child.stdout?.destroy())
  }
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeoutMs)
  signal?.addEventListener('abort', kill)
  return {
    timedOut: () => timedOut,
    killed: () => killing,
    lift() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', kill)
    },
  }
}
