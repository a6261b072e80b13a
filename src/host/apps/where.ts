import type { Faults } from '../install/engine.ts'
import type { AppGround } from './ground.ts'

/** How long things take; tests have less time. */
export interface AppTimes {
  /** From the request to end to the kill. */
  readonly graceMs: number
  /** For what was asked of a process before it was replaced. */
  readonly drainMs: number
  /** Before a process that has exited is started again, by how often it did. */
  readonly retryMs: (exits: number) => number
}

export const usualTimes: AppTimes = {
  graceMs: 30_000,
  drainMs: 10_000,
  retryMs: (exits) => Math.min(300_000, 1_000 * 2 ** (exits - 1)),
}

/** What all apps of a host share. */
export interface AppHost {
  readonly root: string
  /** Whether it runs what tenants want to run. */
  readonly trusted: boolean
  readonly times: AppTimes
  readonly faults: Faults
  readonly ground: AppGround
  /** Before an app listens on a port: it is its account's alone. */
  readonly guarded: () => Promise<void>
  /** Called when the status of an app is another. */
  readonly changed: () => void
}

export const notTrusted = 'This server does not run apps of accounts: start it with --trust-tenants.'
