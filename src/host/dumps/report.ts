import type { Definer } from '../backup/definer.ts'
import type { DumpWarning } from '../contract/commands/dumps.ts'

/** What a dump holds of the database that is taken from it. */
export interface DumpReport {
  readonly tables: number
  readonly rows: number
  /** Of its statements, unpacked. */
  readonly bytes: number
  /** The database it is of, where it names one. */
  readonly database?: string
  readonly definers: readonly Definer[]
  readonly warnings: readonly DumpWarning[]
  /** Bytes that are not UTF-8, without a statement that says what they are. */
  readonly isLatin1?: true
  /** The statement at a line, if it was looked for. */
  readonly found?: string
}

export const MAX_WARNINGS = 100
/** Of tables, and of objects with a definer. */
export const MAX_OBJECTS = 10_000

/** As it comes from a process of the tenant's: only its sizes are relied on, and its texts are shown to the tenant. */
export function checkedReport(report: DumpReport): DumpReport {
  const { tables, rows, bytes, definers, warnings } = report
  const areCounts = [tables, rows, bytes].every((one) => Number.isSafeInteger(one) && one >= 0)
  const isSmall =
    Array.isArray(warnings) &&
    warnings.length <= MAX_WARNINGS &&
    Array.isArray(definers) &&
    definers.length <= MAX_OBJECTS
  if (!areCounts || !isSmall) throw new Error('The report on a dump is malformed.')
  return report
}
