import type { AccountName } from './account.ts'

/** A command of an account's cron. */
export interface CronCommand {
  readonly account: AccountName
  /** Identifies this run. */
  readonly run: string
  readonly command: string
  readonly timeoutS: number
  /** Who receives its output, if the host can send mail. */
  readonly mailTo?: string | undefined
}

/** A command that this agent or an earlier one began. */
export type BegunRun = Pick<CronCommand, 'account' | 'run'>

/** A command's result, with the end of its output. */
export interface CommandEnd {
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut: boolean
  readonly output: string
  readonly truncated: boolean
}
