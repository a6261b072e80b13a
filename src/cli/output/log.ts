import type { LogLine } from '../request/job.ts'
import { printable } from '../terminal.ts'
import { iso } from './time.ts'

/** A log as it is read: a line for each. */
export const linesOf = (log: readonly LogLine[]): string =>
  log.map(({ at, level, message }) => `${iso(at)} ${level.padEnd(5)} ${printable(message)}\n`).join('')
