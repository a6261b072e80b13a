import { maskOf } from '../../shared/mask.ts'
import { deployShares } from '../apps.ts'

const mostLines = 5_000
const longestLine = 2_000

/** A deploy's output, with secrets masked and bounded in size. */
export class BuildLog {
  readonly masked: (text: string) => string
  /** The fraction done at the current step. */
  share: number = deployShares.fetch
  readonly #tell: (line: string, share: number) => void
  #lines = 0
  #last: string[] = []

  constructor(secrets: readonly string[], tell: (line: string, share: number) => void) {
    this.masked = maskOf(secrets)
    this.#tell = tell
  }

  /** The last lines, for an error message. */
  get last(): readonly string[] {
    return this.#last
  }

  readonly line = (text: string): void => {
    const told = this.masked(text).slice(0, longestLine)
    this.#last = [...this.#last.slice(-19), told]
    this.#lines++
    if (this.#lines < mostLines) this.#tell(told, this.share)
    else if (this.#lines === mostLines) this.#tell('More lines follow that are not kept.', this.share)
  }
}
