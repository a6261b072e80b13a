/** The remarks of an import; the same remark on several lines is one. */
export class Remarks {
  readonly #lines: Map<string, (number | undefined)[]>

  constructor(lines: ReadonlyMap<string, readonly (number | undefined)[]> = new Map()) {
    this.#lines = new Map([...lines].map(([reason, all]) => [reason, [...all]]))
  }

  copy(): Remarks {
    return new Remarks(this.#lines)
  }

  add(line: number | undefined, reason: string): void {
    const all = this.#lines.get(reason)
    if (all) all.push(line)
    else this.#lines.set(reason, [line])
  }

  listed(): { line?: number; reason: string }[] {
    return [...this.#lines].map(([reason, [line, ...others]]) => ({
      ...(line === undefined ? {} : { line }),
      reason: `${reason}${otherLines(others)}`,
    }))
  }
}

const MAX_LISTED = 10

function otherLines(lines: readonly (number | undefined)[]): string {
  if (lines.length === 0) return ''
  const more = lines.length - MAX_LISTED
  const named = lines.slice(0, MAX_LISTED).join(', ')
  return ` (also ${lines.length === 1 ? 'line' : 'lines'} ${named}${more > 0 ? ` and ${more} more` : ''})`
}
