import type { ChildProcess } from 'node:child_process'
import { lowerPriority as beNice } from '../../shared/priority.ts'
import { endAll } from './processes.ts'

/** As for `nice`. */
const nice = 10

/** Gives the panel priority over it. */
export const yieldTo = (pid: number): void => beNice(nice, pid)

/** How a process ended. */
export interface WorkerExit {
  readonly exitCode?: number
  readonly signal?: string
}

/** Resolves once it and the holders of its output have ended. */
export const ended = (child: ChildProcess): Promise<WorkerExit> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code === null ? { signal: signal! } : { exitCode: code }))
  })

export interface WorkerLimits {
  readonly mark: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Kills all its processes, at the time limit or on cancellation. */
export function limitOf(child: ChildProcess, { mark, timeoutMs, signal }: WorkerLimits) {
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
