/** The named ones; of the rest only the number. */
const MAX_WARNINGS = 100

/** What users must know about single paths of an archive, as a bounded list. */
export class Warnings {
  readonly #lines: string[] = []
  #more = 0

  add(path: readonly Buffer[], what: string): void {
    if (this.#lines.length < MAX_WARNINGS) this.#lines.push(`${textOf(path)}: ${what}`)
    else this.#more++
  }

  lines(): string[] {
    return this.#more === 0 ? [...this.#lines] : [...this.#lines, `${this.#more} more like these`]
  }
}

const slash = Buffer.from('/')
export const joined = (path: readonly Buffer[]): Buffer =>
  Buffer.concat(path.flatMap((name, at) => (at === 0 ? [name] : [slash, name])))

const MAX_TEXT_LENGTH = 300

/** For users: control characters are shown as `?`, and the middle of a long path as `…`. */
export function textOf(path: readonly Buffer[]): string {
  const text = joined(path)
    .toString('utf8')
    .replace(/\p{Cc}/gu, '?')
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, 200)}…${text.slice(-99)}`
}
