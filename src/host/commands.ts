import type { AccountName } from './account.ts'

/** A command of an account's cron. */
export interface CronCommand {
  readonly account: AccountName
  /** Names this run of it. */
  readonly run: string
  readonly command: string
  readonly timeoutS: number
  /** Who gets what it writes, where the host can send mail. */
  readonly mailTo?: string | undefined
}

/** A command that was begun, by this agent or by an earlier one. */
export type BegunRun = Pick<CronCommand, 'account' | 'run'>

/** How a command ended, and the last of what it wrote. */
export interface CommandEnd {
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut: boolean
  readonly output: string
  readonly truncated: boolean
}
