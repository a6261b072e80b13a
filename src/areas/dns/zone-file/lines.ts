import { FileError, TooLong } from './error.ts'

/** A word of a zone file. */
export interface Word {
  readonly bytes: Buffer
  readonly quoted: boolean
  /** It contains an escaped special character, which is taken literally. */
  readonly literal: boolean
  /** As it is in the file, with its quotes and escapes. */
  readonly raw: string
  /** Nothing is between it and the word before. */
  readonly glued: boolean
}

/** A logical line, with parentheses joined. */
export interface ZoneLine {
  readonly number: number
  /** It starts with a blank: the name is that of the previous record. */
  readonly indented: boolean
  readonly words: readonly Word[]
}

const isBlank = (char: string): boolean => char === ' ' || char === '\t'
const isGap = /[ \t\r\n();]/
const ends = /[ \t\r\n()";]/

/** The longest text, with each byte escaped and quoted by itself, fits in these. Without comments. */
const MAX_LINE_CHARACTERS = 32 * 1024
const MAX_LINE_PIECES = 10_000

/**
 * Splits a zone file into lines and words. A line with a syntax error yields that, and the next one begins after it. An
 * empty line yields undefined, so that each step takes little time.
 */
export function* linesOf(text: string): Generator<ZoneLine | FileError | undefined> {
  yield* new Splitter(text).lines()
}

class Splitter {
  readonly #text: string
  #at = 0
  #line = 1
  /** The line of the open parenthesis. */
  #open: number | undefined
  /** Where the logical line starts, moved by the length of its comments. */
  #start = 0
  /** Its words and escapes. */
  #pieces = 0

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, '')
  }

  *lines(): Generator<ZoneLine | FileError | undefined> {
    while (this.#at < this.#text.length) {
      const number = this.#line
      const indented = isBlank(this.#text[this.#at]!)
      this.#start = this.#at
      this.#pieces = 0
      yield this.#read(number, indented)
    }
  }

  #read(number: number, indented: boolean): ZoneLine | FileError | undefined {
    const from = this.#at
    try {
      const words = this.#words()
      return words.length > 0 ? { number, indented, words } : undefined
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      this.#skipLine(from, number)
      return error
    }
  }

  /** Resumes after the first line of the invalid record: its parenthesis or quote may be a typing error. */
  #skipLine(from: number, number: number): void {
    const newline = this.#text.indexOf('\n', from)
    this.#at = newline < 0 ? this.#text.length : newline + 1
    this.#line = number + 1
    this.#open = undefined
  }

  #refuseLong(): void {
    if (this.#at - this.#start <= MAX_LINE_CHARACTERS && this.#pieces <= MAX_LINE_PIECES) return
    throw new TooLong(this.#line, 'the record is too long')
  }

  #words(): Word[] {
    const words: Word[] = []
    for (let char = this.#text[this.#at]; char !== undefined; char = this.#text[this.#at]) {
      this.#refuseLong()
      if (char === '\n' && this.#endOfLine()) return words
      else if (char === ';') this.#comment()
      else if (char === '(' || char === ')') this.#parenthesis(char)
      else if (char === '"') words.push(this.#quoted())
      else if (isBlank(char) || char === '\n' || char === '\r') this.#at++
      else words.push(this.#bare())
    }
    if (this.#open !== undefined) throw new FileError(this.#open, 'a parenthesis is not closed')
    return words
  }

  /** Whether the logical line has ended: inside parentheses it continues. */
  #endOfLine(): boolean {
    this.#line++
    if (this.#open === undefined) this.#at++
    return this.#open === undefined
  }

  #comment(): void {
    const newline = this.#text.indexOf('\n', this.#at)
    const end = newline < 0 ? this.#text.length : newline
    this.#start += end - this.#at
    this.#at = end
  }

  #parenthesis(char: string): void {
    if ((char === '(') === (this.#open !== undefined))
      throw new FileError(
        this.#line,
        char === '(' ? 'a parenthesis within another' : 'a parenthesis closes that none opened',
      )
    this.#open = char === '(' ? this.#line : undefined
    this.#at++
  }

  #quoted(): Word {
    const from = ++this.#at
    const pieces: Piece[] = []
    for (let char = this.#text[this.#at]; char !== '"'; char = this.#text[this.#at]) {
      if (char === undefined || char === '\n') throw new FileError(this.#line, 'a quote is not closed')
      this.#piece(pieces, char)
    }
    return this.#word(pieces, from, this.#at++, true)
  }

  #bare(): Word {
    const from = this.#at
    const pieces: Piece[] = []
    for (let char = this.#text[this.#at]; char !== undefined && !ends.test(char); char = this.#text[this.#at])
      this.#piece(pieces, char)
    return this.#word(pieces, from, this.#at, false)
  }

  /** Plain text is sliced; only escapes are collected separately. */
  #piece(pieces: Piece[], char: string): void {
    if (char !== '\\') this.#at++
    else pieces.push(this.#escape())
    this.#refuseLong()
  }

  #escape(): Piece {
    const from = this.#at
    this.#pieces++
    const digits = /^\d{3}/.exec(this.#text.slice(from + 1, from + 4))?.[0]
    if (digits && Number(digits) > 255) throw new FileError(this.#line, `\\${digits} is not a byte`)
    const next = String.fromCodePoint(this.#text.codePointAt(from + 1) ?? 10)
    if (next === '\n' || next === '\r' || (/\d/.test(next) && !digits))
      throw new FileError(this.#line, 'a backslash must be followed by a character or three digits')
    this.#at += 1 + (digits?.length ?? next.length)
    return { from, to: this.#at, bytes: digits ? Buffer.from([Number(digits)]) : Buffer.from(next) }
  }

  #word(pieces: readonly Piece[], from: number, to: number, quoted: boolean): Word {
    this.#pieces++
    const parts: Buffer[] = []
    let at = from
    for (const piece of pieces) {
      parts.push(Buffer.from(this.#text.slice(at, piece.from)), piece.bytes)
      at = piece.to
    }
    parts.push(Buffer.from(this.#text.slice(at, to)))
    const literal = pieces.some(({ bytes }) => bytes.length !== 1 || !/[A-Za-z0-9_-]/.test(bytes.toString('latin1')))
    const [begin, end] = quoted ? [from - 1, to + 1] : [from, to]
    const glued = begin > 0 && !isGap.test(this.#text[begin - 1]!)
    return { bytes: Buffer.concat(parts), quoted, literal, raw: this.#text.slice(begin, end), glued }
  }
}

interface Piece {
  readonly from: number
  readonly to: number
  readonly bytes: Buffer
}
