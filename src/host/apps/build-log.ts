const mostLines = 5_000
const longestLine = 2_000
const shortestSecret = 6

/** What is told of a deploy, with secrets masked, and not without end. */
export class BuildLog {
  readonly #secrets: readonly string[]
  readonly #tell: (line: string) => void
  #lines = 0
  #last: string[] = []

  constructor(secrets: readonly string[], tell: (line: string) => void) {
    const parts = secrets.flatMap((secret) => [secret, ...secret.split(/[\r\n]+/)])
    const masked = parts.filter((part) => part.length >= shortestSecret)
    this.#secrets = [...new Set(masked)].sort((one, other) => other.length - one.length)
    this.#tell = tell
  }

  /** The last lines, for a message. */
  get last(): readonly string[] {
    return this.#last
  }

  readonly line = (text: string): void => {
    const told = this.masked(text).slice(0, longestLine)
    this.#last = [...this.#last.slice(-19), told]
    this.#lines++
    if (this.#lines < mostLines) this.#tell(told)
    else if (this.#lines === mostLines) this.#tell('More lines follow that are not kept.')
  }

  masked(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  }
}
