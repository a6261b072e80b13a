import { type ReportItem, type ReportOutcome, type ReportPart, reportParts } from '../../../contract/imports.ts'

/** In the order in which a report has them: what prevents the import first. */
const outcomes: readonly ReportOutcome[] = ['conflict', 'not_possible', 'changed', 'as_is']

type More = Partial<Pick<ReportItem, 'from' | 'to' | 'file' | 'line' | 'fix'>>

/** Collects the lines of a report. Words of the archive are escaped escaped, and no hash is in them. */
export class Report {
  readonly #items: ReportItem[] = []

  add(part: ReportPart, item: string, outcome: ReportOutcome, text: string, more: More = {}): void {
    const words = Object.fromEntries(
      Object.entries(more).map(([key, value]) => [key, typeof value === 'string' ? escaped(value) : value]),
    )
    this.#items.push({ part, item: escaped(item), outcome, text: escaped(text), ...words })
  }

  get hasConflicts(): boolean {
    return this.#items.some(({ outcome }) => outcome === 'conflict')
  }

  /** Sorted, so that two reports of one archive are the same. */
  get items(): readonly ReportItem[] {
    return this.#items.toSorted(
      (a, b) =>
        outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome) ||
        Number(isClosed(b)) - Number(isClosed(a)) ||
        reportParts.indexOf(a.part) - reportParts.indexOf(b.part) ||
        (a.item < b.item ? -1 : a.item > b.item ? 1 : 0),
    )
  }
}

/** Of what does not come, directories that the import closes are named first. */
const isClosed = ({ part, to }: ReportItem): boolean => part === 'htaccess' && to === 'denied'

const MAX_WORD_LENGTH = 1_000

/** Control characters would change what a terminal shows. */
export function escaped(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => {
    const code = one.codePointAt(0)!
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
  return clean.length > MAX_WORD_LENGTH ? `${clean.slice(0, MAX_WORD_LENGTH)}…` : clean
}

export function countsOf(items: readonly ReportItem[]) {
  const count = (outcome: ReportOutcome) => items.filter((item) => item.outcome === outcome).length
  return {
    as_is: count('as_is'),
    changed: count('changed'),
    not_possible: count('not_possible'),
    conflicts: count('conflict'),
  }
}
