/** Synonyms of parameters in WHM's clients. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  user: ['user', 'username'],
  password: ['password', 'pass'],
  plan: ['plan', 'pkgname', 'pkg'],
}

/** A request's parameters: query, then form or JSON body, which wins. The last duplicate wins. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>

  constructor(query: string, body: string) {
    this.#values = new Map(
      [...new URLSearchParams(query), ...bodyPairs(body)].map(([name, value]) => [key(name), value]),
    )
  }

  /** The trimmed text of a parameter or its synonyms; undefined if absent. */
  text(name: string): string | undefined {
    return this.secret(name)?.trim()
  }

  /** A password, untrimmed. The first non-empty synonym counts. */
  secret(name: string): string | undefined {
    const texts = (synonyms[name] ?? [name]).map((synonym) => this.#values.get(key(synonym)))
    return texts.find(Boolean) ?? texts.find((text) => text !== undefined)
  }

  /** The text, unless it is empty. */
  filled(name: string): string | undefined {
    return this.text(name) || undefined
  }

  /** `1`, `y`, `yes`, `true`, `on` or their opposites; undefined for anything else. */
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

/** Clients send both `quota` and `QUOTA`. */
const key = (name: string): string => name.toLowerCase()

function bodyPairs(body: string): Iterable<[string, string]> {
  return body.trimStart().startsWith('{') ? jsonPairs(body) : new URLSearchParams(body)
}

/** The scalar values of a JSON object; none if the text is not JSON. */
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
