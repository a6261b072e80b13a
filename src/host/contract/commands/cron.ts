import { shellLine } from '../../parts/apps.ts'
import { command, isLarge } from '../command.ts'
import { complete, type Output, object, optional, patterns, text } from '../fields.ts'
import * as shape from '../shape.ts'
import { accountName } from './names.ts'

const MAX_SECONDS = 86_400
/** The end of a command's output, which the store keeps for each of its last runs. */
export const MAX_OUTPUT_LENGTH = 65_536

const begun = { account: accountName, run: text(patterns.id) }

/** A command of an account's cron; `run` identifies this run. */
const cronCommand = object(
  {
    ...begun,
    command: shellLine,
    timeoutS: complete(1, MAX_SECONDS),
    /** Who receives its output, if the host can send mail. */
    mailTo: optional(text(patterns.email)),
  },
  'a cron command',
)
export type CronCommand = Output<typeof cronCommand>

/** A command that this agent or an earlier one began. */
const begunRun = object(begun, 'a run of cron')
export type BegunRun = Output<typeof begunRun>

/** A command's result, with the end of its output. */
const end = shape.fields({
  exitCode: shape.maybe(shape.integer),
  signal: shape.maybe(shape.name),
  timedOut: shape.flag,
  output: shape.text(MAX_OUTPUT_LENGTH),
  truncated: shape.flag,
})
export type CommandEnd = Output<typeof end>

const ofAccount = { account: ({ account }: BegunRun) => account.id }

/** Aborting with the reason `leaving` leaves a command running where it can outlive this process. */
export const cronCommands = {
  /** The result of a command begun earlier; null if it is unknown, and no longer runs. */
  awaitCron: command({
    input: begunRun,
    result: shape.fields({ end: shape.orNone(end) }),
    route: ofAccount,
    retry: 'outlives',
    detaches: true,
    large: isLarge,
  }),
  /**
   * Runs a command of an account's cron as its tenant, in its home: each call runs it. A suspended account's commands
   * are ended before its apply ends, a removed one's before its files are removed.
   */
  runCron: command({
    input: cronCommand,
    result: end,
    route: ofAccount,
    retry: 'never',
    detaches: true,
    large: isLarge,
  }),
}
