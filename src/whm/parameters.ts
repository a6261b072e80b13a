/** Names that WHM's clients use for one thing. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  user: ['user', 'username'],
  password: ['password', 'pass'],
  plan: ['plan', 'pkgname', 'pkg'],
}

/** What a request says: its query, then its form or JSON body, which wins. Of duplicates the last wins. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>

  constructor(query: string, body: string) {
    this.#values = new Map(
      [...new URLSearchParams(query), ...bodyPairs(body)].map(([name, value]) => [key(name), value]),
    )
  }

  /** The text under a name or one of its synonyms, without blanks around it; undefined when absent. */
  text(name: string): string | undefined {
    return this.secret(name)?.trim()
  }

  /** A password, to the last blank. Of synonyms the first that is not empty. */
  secret(name: string): string | undefined {
    const texts = (synonyms[name] ?? [name]).map((synonym) => this.#values.get(key(synonym)))
    return texts.find(Boolean) ?? texts.find((text) => text !== undefined)
  }

  /** The text, where it is there and not empty. */
  filled(name: string): string | undefined {
    return this.text(name) || undefined
  }

  /** `1`, `y`, `yes`, `true`, `on` or their opposites; undefined for the rest. */
  flag(name: string): boolean | undefined {
    const text = this.text(name)?.toLowerCase()
    if (text === undefined) return undefined
    if (['1', 'y', 'yes', 'true', 'on'].includes(text)) return true
    return ['0', 'n', 'no', 'false', 'off', ''].includes(text) ? false : undefined
  }

  /** 1 for `api.version` 1 and above, else 0. */
  get version(): 0 | 1 {
    return /^0*[1-9]\d*$/.test(this.text('api.version') ?? '') ? 1 : 0
  }
}

/** Limits come as `quota` and as `QUOTA`. */
const key = (name: string): string => name.toLowerCase()

function bodyPairs(body: string): Iterable<[string, string]> {
  return body.trimStart().startsWith('{') ? jsonPairs(body) : new URLSearchParams(body)
}

/** The plain values of a JSON object; text that is not JSON holds no parameters. */
function jsonPairs(body: string): [string, string][] {
  try {
    return Object.entries(JSON.parse(body) as object).flatMap(([name, value]) => {
      const plain = ['string', 'number', 'boolean'].includes(typeof value)
      return plain ? [[name, String(value)] as [string, string]] : []
    })
  } catch {
    return []
  }
}
