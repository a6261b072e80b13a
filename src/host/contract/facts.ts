import type { Program } from '../parts/server/programs.ts'

/** The PHP of a machine. */
export interface PhpFacts {
  /** The version of Debian itself. */
  readonly default: string
  /** By version, the extensions that it always has. */
  readonly loaded: Readonly<Record<string, readonly string[]>>
}

/** The machine's properties that rendering depends on; absent means the default. */
export interface MachineFacts {
  /** Each version has its own names for a mailbox's settings, and ignores the other's. */
  readonly dovecot?: '2.3' | '2.4'
  /** An nginx that knows `http2 on;` warns about the parameter in `listen`. */
  readonly http2?: 'directive' | 'listen'
  /** Whether nginx answers by QUIC. */
  readonly http3?: boolean
  /** Whether nginx checks requests by rules; a directory renders it. */
  readonly waf?: boolean
  /** Whether nginx has loaded Debian's module for Brotli. */
  readonly brotli?: boolean
  /** Whether accounts can have an Apache; a directory renders it. */
  readonly apache?: boolean
  /** Whether mail from outside gets spam headers. */
  readonly checksSpam?: boolean
  /** PHP; a directory's if absent. */
  readonly php?: PhpFacts
  /** Those that are installed. */
  readonly programs?: readonly Program[]
}
