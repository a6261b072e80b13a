import type { Program } from './parts/server/programs.ts'

/** What a machine's daemons are, where what is rendered differs by that; absent is the usual. */
export interface MachineFacts {
  /** Each version knows settings of a mailbox by names of its own, and ignores the other's. */
  readonly dovecot?: '2.3' | '2.4'
  /** Where nginx knows `http2 on;`, it warns of the word in `listen`. */
  readonly http2?: 'directive' | 'listen'
  /** Whether each mail from outside gets headers that say how much it looks like spam. */
  readonly judgesMail?: boolean
  /** Those that are installed. */
  readonly programs?: readonly Program[]
}
