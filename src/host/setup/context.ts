import type { SetupRecord } from './record.ts'
import type { Do } from './step.ts'

/** Access to the machine being set up. */
export interface SetupContext {
  /** A prefix for all paths; empty on a real machine. */
  readonly root: string
  readonly run: Do
  readonly record: SetupRecord
  /** Gives a file or directory to root and a group. */
  readonly own: (path: string, group: string) => void
  /** Prints one line for the user. */
  readonly say: (line: string) => void
}
