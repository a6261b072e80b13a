import type { SetupRecord } from './record.ts'
import type { Do } from './step.ts'

/** The machine that is set up, as the steps reach it. */
export interface Ground {
  /** Before every path; nothing on a real machine. */
  readonly root: string
  readonly run: Do
  readonly record: SetupRecord
  /** Gives a file or directory to root and a group. */
  readonly own: (path: string, group: string) => void
  /** One line for who watches. */
  readonly say: (line: string) => void
}
