import type { Statement, Token } from './splitter.ts'

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const MAX_WORD_LENGTH = 64
const MAX_PRINTED_LENGTH = 200

/** One line without control characters. */
export const printable = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, MAX_PRINTED_LENGTH)

/** A statement's tokens as text, and what is to be changed of it. */
export class Code {
  readonly #statement: Statement
  readonly #edits: Edit[] = []

  constructor(statement: Statement) {
    this.#statement = statement
  }

  get length(): number {
    return this.#statement.tokens.length
  }

  get line(): number {
    return this.#statement.line
  }

  token(at: number): Token | undefined {
    return this.#statement.tokens[at]
  }

  raw(at: number): string {
    const token = this.token(at)
    return token ? this.#statement.bytes.toString('utf8', token.start, token.end) : ''
  }

  /** A bare word in capitals, or a mark. */
  word(at: number): string {
    const token = this.token(at)
    if (!token || (token.kind !== 'word' && token.kind !== 'mark') || token.end - token.start > MAX_WORD_LENGTH)
      return ''
    return this.#statement.bytes.toString('latin1', token.start, token.end).toUpperCase()
  }

  isWord(at: number, ...words: readonly string[]): boolean {
    return words.includes(this.word(at))
  }

  /** The value of a name or a string. */
  value(at: number): string {
    const raw = this.raw(at)
    const quote = raw[0] ?? ''
    return '`"\''.includes(quote) ? raw.slice(1, -1).replaceAll(quote + quote, quote) : raw
  }

  isName(at: number): boolean {
    const token = this.token(at)
    return token !== undefined && token.kind !== 'mark' && token.kind !== 'text'
  }

  /** The position after these words, each of which may be missing. */
  after(at: number, ...words: readonly string[]): number {
    let next = at
    while (this.isWord(next, ...words)) next++
    return next
  }

  replace(from: number, to: number, text = ''): void {
    const [first, last] = [this.token(from), this.token(to)]
    if (first && last) this.#edits.push({ start: first.start, end: last.end, text })
  }

  /** The statement with its changes, and as many lines as before. */
  edited(): Buffer {
    const { bytes } = this.#statement
    if (this.#edits.length === 0) return bytes
    const pieces: Buffer[] = []
    let at = 0
    for (const { start, end, text } of this.#edits.toSorted((a, b) => a.start - b.start)) {
      if (start < at) continue
      pieces.push(bytes.subarray(at, start), Buffer.from(text), linesIn(bytes.subarray(start, end)))
      at = end
    }
    return Buffer.concat([...pieces, bytes.subarray(at)])
  }
}

/** What else was between the tokens, such as the end of an executable comment, stays. */
function linesIn(removed: Buffer): Buffer {
  const text = removed
    .toString('latin1')
    .replaceAll(/'(?:[^'\\]|\\.)*'|`[^`]*`|"[^"]*"/gs, (one) => one.replaceAll(/[^\n]/g, ''))
  return Buffer.from(text.match(/\n|\*\/|\/\*M?!\d*/g)?.join('') ?? '')
}
