import { maskOf } from '../../shared/mask.ts'
import { deployShares } from '../contract/apps.ts'

const MAX_LINES = 5_000
const MAX_LINE_LENGTH = 2_000

/** A deploy's output, with secrets masked and bounded in size. */
export class BuildLog {
  readonly masked: (text: string) => string
  /** The fraction done at the current step. */
  share: number = deployShares.fetch
  readonly #report: (line: string, share: number) => void
  #lines = 0
  #last: string[] = []

  constructor(secrets: readonly string[], report: (line: string, share: number) => void) {
    this.masked = maskOf(secrets)
    this.#report = report
  }

  /** The last lines, for an error message. */
  get last(): readonly string[] {
    return this.#last
  }

  readonly line = (text: string): void => {
    const line = this.masked(text).slice(0, MAX_LINE_LENGTH)
    this.#last = [...this.#last.slice(-19), line]
    this.#lines++
    if (this.#lines < MAX_LINES) this.#report(line, this.share)
    else if (this.#lines === MAX_LINES) this.#report('More lines follow that are not kept.', this.share)
  }
}
