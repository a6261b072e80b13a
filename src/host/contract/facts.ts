import type { Program } from '../parts/server/programs.ts'

/** The machine's properties that rendering depends on; absent means the default. */
export interface MachineFacts {
  /** Each version has its own names for a mailbox's settings, and ignores the other's. */
  readonly dovecot?: '2.3' | '2.4'
  /** An nginx that knows `http2 on;` warns about the parameter in `listen`. */
  readonly http2?: 'directive' | 'listen'
  /** Whether mail from outside gets spam headers. */
  readonly checksSpam?: boolean
  /** Those that are installed. */
  readonly programs?: readonly Program[]
}
