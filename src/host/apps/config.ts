import type { FailPoint } from '../install/engine.ts'
import type { AppRunner } from './app-runner.ts'

/** Time limits; tests use shorter ones. */
export interface AppTimes {
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number
  /** For requests that a process is still answering when replaced. */
  readonly drainMs: number
  /** The delay before restarting a process, by its number of exits. */
  readonly retryMs: (exits: number) => number
}

export const defaultTimes: AppTimes = {
  graceMs: 30_000,
  drainMs: 10_000,
  retryMs: (exits) => Math.min(300_000, 1_000 * 2 ** (exits - 1)),
}

/** What all apps of a host share. */
export interface AppHost {
  readonly root: string
  /** Whether it runs tenants' programs. */
  readonly trusted: boolean
  readonly times: AppTimes
  readonly onFailPoint: FailPoint
  readonly runner: AppRunner
  /** Call before an app listens on a port, which must be its account's alone. */
  readonly guarded: () => Promise<void>
  /** Called when an app's status has changed. */
  readonly changed: () => void
}

export const notTrusted = 'This server does not run apps of accounts: start it with --trust-tenants.'
