import type { LogLine } from '../request/job.ts'
import { printable } from '../terminal.ts'
import { iso } from './time.ts'

/** Formats a log, one entry per line. */
export const linesOf = (log: readonly LogLine[]): string =>
  log.map(({ at, level, message }) => `${iso(at)} ${level.padEnd(5)} ${printable(message)}\n`).join('')
