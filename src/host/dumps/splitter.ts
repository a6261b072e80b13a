import { DumpError } from './error.ts'

/** `word`: a bare word or number; `text`: '…'; `quoted`: "…", `name`: `…`; `mark`: any other byte. */
export type TokenKind = 'word' | 'text' | 'quoted' | 'name' | 'mark'

/** A piece of a statement's code, by its offsets. Comments are skipped, except the content of executable ones. */
export interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

/** A statement without its delimiter, or the beginning of an INSERT up to VALUES. */
export interface Statement {
  readonly bytes: Buffer
  readonly tokens: readonly Token[]
  /** Where it begins in the dump. */
  readonly line: number
}

/** Decides what becomes of each statement. Undefined: it is left out. */
export interface Rules {
  statement(statement: Statement): Buffer | undefined
  /** An INSERT's rows follow, and are passed on unchanged. */
  insert(beginning: Statement): Buffer | undefined
  /** Called when an INSERT ends. */
  inserted(rows: number): void
  comment(text: string, line: number): void
  /** Whether to leave out a line where a statement would begin, since it is not SQL. */
  isForeign(text: string, line: number): boolean
  /** Whether a backslash in a string escapes the next byte. */
  readonly escapes: boolean
}

/** Of one statement other than INSERT … VALUES, which must be kept until it ends. */
const MAX_STATEMENT_BYTES = 16 * 1024 * 1024
/** MariaDB takes no longer one. */
const MAX_INSERT_BYTES = 1024 ** 3
const MAX_TOKENS = 500_000
const MAX_DELIMITER_LENGTH = 16
const MAX_COMMENT_LENGTH = 200
/** A line that may be a client's command or a tool's message. */
const MAX_LINE_LENGTH = 4096
/** Bytes that are looked at ahead of the position. */
const LOOKAHEAD_BYTES = 64
const MIN_CAPACITY = 128 * 1024

const byteOf = (character: string): number => character.charCodeAt(0)
const [newline, slash, star, dash, hash, backslash, exclamation] = [...'\n/*-#\\!'].map(byteOf) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]
const [open, close, comma, apostrophe, quote, backtick] = [...'(),\'"`'].map(byteOf) as [
  number,
  number,
  number,
  number,
  number,
  number,
]

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)
const wordBytes = new Uint8Array(256).map((_, byte) =>
  byte >= 0x80 || /[\w$]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const isWord = (byte: number): boolean => wordBytes[byte] === 1
/** Programs of DOS and Windows end a text with it. */
const endOfDosFile = 26
const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57

type State = 'code' | 'word' | 'line comment' | 'comment' | 'string'
/** `between` statements; `held` until it ends; `rows` of an INSERT. */
type Mode = 'between' | 'held' | 'rows'

const quotes: ReadonlyMap<number, TokenKind> = new Map([
  [apostrophe, 'text'],
  [quote, 'quoted'],
  [backtick, 'name'],
])

/** First bytes of lines that may be a client's command or a tool's message. */
const lineBeginnings = new Set([...'dDmMeEwW[<'].map(byteOf))
const delimiterLine = /^delimiter[ \t]+(\S+)/i

/**
 * Splits a dump into statements as MariaDB's client does, and puts others in their place. It keeps the number of lines,
 * so that the server's errors name lines of the dump. The result does not depend on how the bytes are divided.
 */
export class Splitter {
  readonly #rules: Rules
  #buffer = Buffer.alloc(MIN_CAPACITY)
  #used = 0
  /** Where what is not yet passed on begins. */
  #start = 0
  #at = 0
  #state: State = 'code'
  #mode: Mode = 'between'
  /** In an executable comment. */
  #isExecutable = false
  #delimiter = Buffer.from(';')
  #line = 1
  #statementLine = 1
  #tokens: Token[] = []
  #tokenStart = 0
  #isReported = false
  #quote = 0
  #depth = 0
  #rows = 0
  #countsRows = false
  #isPassedOn = false
  #insertBytes = 0
  #lastMark = 0
  #out: Buffer[] = []

  constructor(rules: Rules) {
    this.#rules = rules
  }

  get line(): number {
    return this.#line
  }

  /** Its bytes, as far as they are decided. */
  take(chunk: Buffer): Buffer {
    this.#append(chunk)
    this.#scan(false)
    return this.#taken()
  }

  /** The rest. Whether the dump ends within a statement: `isCut`. */
  end(): { readonly bytes: Buffer; readonly isCut: boolean } {
    this.#scan(true)
    if (this.#state === 'word') this.#endWord()
    if (this.#state === 'line comment') this.#endComment()
    const isCut =
      this.#mode !== 'between' &&
      (this.#state !== 'code' || this.#depth > 0 || this.#isExecutable || this.#lastMark === comma)
    if (this.#mode === 'between') return { bytes: this.#taken(), isCut: this.#state === 'comment' }
    if (!isCut) this.#endStatement()
    return { bytes: this.#taken(), isCut }
  }

  #taken(): Buffer {
    const out = Buffer.concat(this.#out)
    this.#out = []
    return out
  }

  #append(chunk: Buffer): void {
    if (this.#used + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length)
    chunk.copy(this.#buffer, this.#used)
    this.#used += chunk.length
  }

  #makeRoom(bytes: number): void {
    const unsent = this.#buffer.subarray(this.#start, this.#used)
    const capacity = Math.max(MIN_CAPACITY, 2 * (unsent.length + bytes))
    const into = capacity > this.#buffer.length ? Buffer.alloc(capacity) : this.#buffer
    unsent.copy(into)
    this.#buffer = into
    this.#at -= this.#start
    this.#tokenStart -= this.#start
    this.#used -= this.#start
    this.#start = 0
  }

  #scan(isLast: boolean): void {
    const limit = isLast ? this.#used : this.#used - LOOKAHEAD_BYTES
    while (this.#at < limit) if (!this.#step(limit, isLast)) break
    if (this.#mode === 'rows') this.#passOn(Math.min(this.#at, this.#used))
    this.#refuseLong()
  }

  /** False: it needs more bytes. */
  #step(limit: number, isLast: boolean): boolean {
    if (this.#state === 'code') return this.#mode === 'between' ? this.#between(isLast) : this.#code()
    if (this.#state === 'string') this.#string(limit)
    else if (this.#state === 'word') this.#word(limit)
    else this.#comment(limit)
    return true
  }

  #refuseLong(): void {
    const length = this.#used - this.#start
    if (this.#mode === 'held' && (length > MAX_STATEMENT_BYTES || this.#tokens.length > MAX_TOKENS))
      throw new DumpError(`Line ${this.#statementLine} begins a statement of more than 16 MiB.`)
    if (this.#insertBytes > MAX_INSERT_BYTES)
      throw new DumpError(
        `Line ${this.#statementLine} begins an INSERT of more than 1 GiB, the most that MariaDB takes at once: make the dump with --net-buffer-length=1M.`,
      )
  }

  #isDelimiter(): boolean {
    const [first] = this.#delimiter
    if (this.#buffer[this.#at] !== first) return false
    if (this.#delimiter.length === 1) return true
    const end = this.#at + this.#delimiter.length
    return end <= this.#used && this.#buffer.compare(this.#delimiter, 0, this.#delimiter.length, this.#at, end) === 0
  }

  #byte(offset: number): number {
    const at = this.#at + offset
    return at < this.#used ? this.#buffer[at]! : newline
  }

  #newline(): void {
    this.#line++
    if (this.#mode === 'between') this.#out.push(lineEnd)
  }

  #between(isLast: boolean): boolean {
    const byte = this.#byte(0)
    if (isSpace(byte) || byte === endOfDosFile) {
      if (byte === newline) this.#newline()
      this.#skip(1)
      return true
    }
    if (this.#isDelimiter()) {
      this.#skip(this.#delimiter.length)
      return true
    }
    if (this.#beginsComment()) return true
    if (lineBeginnings.has(byte)) {
      const line = this.#lineAhead(isLast)
      if (line === undefined) return false
      if (this.#isOwnLine(line)) return true
    }
    this.#mode = 'held'
    this.#start = this.#at
    this.#statementLine = this.#line
    return true
  }

  /** Moves on without passing anything on. */
  #skip(bytes: number): void {
    this.#at += bytes
    if (this.#mode === 'between') this.#start = this.#at
  }

  #lineAhead(isLast: boolean): string | undefined {
    const end = this.#buffer.subarray(0, this.#used).indexOf(newline, this.#at)
    const isKnown = end >= 0 || isLast || this.#used - this.#at >= MAX_LINE_LENGTH
    if (!isKnown) return undefined
    return this.#buffer.toString('utf8', this.#at, Math.min(end < 0 ? this.#used : end, this.#at + MAX_LINE_LENGTH))
  }

  #isOwnLine(line: string): boolean {
    const delimiter = delimiterLine.exec(line)?.[1]
    if (delimiter !== undefined) this.#setDelimiter(delimiter)
    else if (!this.#rules.isForeign(line, this.#line)) return false
    const end = this.#buffer.subarray(0, this.#used).indexOf(newline, this.#at)
    this.#skip((end < 0 ? this.#used : end) - this.#at)
    return true
  }

  #setDelimiter(delimiter: string): void {
    if (delimiter.length > MAX_DELIMITER_LENGTH || /[\\'"`]/.test(delimiter))
      throw new DumpError(`Line ${this.#line}: a delimiter must have at most 16 characters, and no quotes.`)
    this.#delimiter = Buffer.from(delimiter)
    this.#out.push(Buffer.from(`DELIMITER ${delimiter}`))
  }

  /** Enters a comment, or an executable one. */
  #beginsComment(): boolean {
    const byte = this.#byte(0)
    if (byte === hash || (byte === dash && this.#byte(1) === dash && isSpaceOrControl(this.#byte(2)))) {
      this.#enterComment('line comment', 0)
      return true
    }
    if (byte !== slash || this.#byte(1) !== star) return false
    const length = this.#executable()
    if (length === 0) {
      this.#enterComment('comment', 2)
      return true
    }
    if (this.#mode === 'between') {
      this.#mode = 'held'
      this.#start = this.#at
      this.#statementLine = this.#line
    }
    this.#isExecutable = true
    this.#at += length
    return true
  }

  /** The length of what begins an executable comment; 0 for one that MariaDB ignores. */
  #executable(): number {
    const isOwn = this.#byte(2) === byteOf('M') && this.#byte(3) === exclamation
    if (!isOwn && this.#byte(2) !== exclamation) return 0
    let length = isOwn ? 4 : 3
    let version = 0
    let digits = 0
    for (; digits < 6 && isDigit(this.#byte(length)); digits++) version = version * 10 + this.#byte(length++) - 48
    if (digits < 5) return length - digits
    const isMySql = !isOwn && version >= 50_700 && version <= 99_999
    return isMySql || version >= MAX_VERSION ? 0 : length
  }

  #enterComment(state: State, bytes: number): void {
    this.#state = state
    this.#tokenStart = this.#at
    this.#isReported = this.#mode !== 'between'
    this.#at += bytes
  }

  #comment(limit: number): void {
    const buffer = this.#buffer
    while (this.#at < limit) {
      const byte = buffer[this.#at]!
      if (this.#state === 'line comment' ? byte === newline : byte === star && this.#byte(1) === slash)
        return this.#endComment()
      if (byte === newline) this.#newline()
      this.#at++
      if (this.#at - this.#tokenStart >= MAX_COMMENT_LENGTH) this.#report()
      if (this.#mode === 'between' && this.#isReported) this.#start = this.#at
    }
  }

  /** The beginning of a comment outside of statements. */
  #report(): void {
    if (this.#isReported) return
    this.#isReported = true
    this.#rules.comment(this.#buffer.toString('utf8', this.#tokenStart, this.#at), this.#line)
  }

  #endComment(): void {
    this.#report()
    this.#skip(this.#state === 'comment' ? 2 : 0)
    this.#state = 'code'
  }

  #code(): boolean {
    if (this.#isDelimiter()) {
      this.#endStatement()
      return true
    }
    const byte = this.#byte(0)
    if (byte === newline) {
      this.#line++
      this.#at++
      return true
    }
    if (isSpace(byte)) {
      this.#at++
      return true
    }
    if (this.#isExecutable && byte === star && this.#byte(1) === slash) {
      this.#isExecutable = false
      this.#at += 2
      return true
    }
    return this.#beginsComment() || this.#beginsToken(byte)
  }

  #beginsToken(byte: number): boolean {
    this.#tokenStart = this.#at
    this.#lastMark = byte
    if (quotes.has(byte)) {
      this.#state = 'string'
      this.#quote = byte
      this.#at++
    } else if (isWord(byte)) {
      this.#state = 'word'
      this.#at++
    } else this.#mark(byte)
    return true
  }

  #mark(byte: number): void {
    if (byte === open && this.#depth++ === 0 && this.#countsRows) this.#rows++
    if (byte === close && this.#depth > 0) this.#depth--
    this.#at++
    this.#push('mark')
  }

  #push(kind: TokenKind): void {
    if (this.#mode !== 'held') return
    this.#tokens.push({ kind, start: this.#tokenStart - this.#start, end: this.#at - this.#start })
  }

  #word(limit: number): void {
    const buffer = this.#buffer
    const isPlain = this.#delimiter.length === 1 && !isWord(this.#delimiter[0]!)
    while (this.#at < limit && isWord(buffer[this.#at]!)) {
      if (!isPlain && this.#isDelimiter()) break
      this.#at++
    }
    if (this.#at < limit) this.#endWord()
  }

  #endWord(): void {
    this.#state = 'code'
    this.#push('word')
    if (this.#depth > 0) return
    if (this.#mode === 'rows') this.#countsRows = false
    else if (this.#isInsert() && /^values?$/i.test(this.#text(this.#tokens.at(-1)!))) this.#beginRows()
  }

  #text({ start, end }: Token): string {
    if (end - start > MAX_WORD_LENGTH) return ''
    return this.#buffer.toString('latin1', this.#start + start, this.#start + end)
  }

  #isInsert(): boolean {
    const [first] = this.#tokens
    return first?.kind === 'word' && this.#tokens.length > 1 && /^(?:insert|replace)$/i.test(this.#text(first))
  }

  #statement(): Statement {
    const bytes = this.#buffer.subarray(this.#start, Math.min(this.#at, this.#used))
    return { bytes, tokens: this.#tokens, line: this.#statementLine }
  }

  #beginRows(): void {
    const beginning = this.#statement()
    const instead = this.#rules.insert(beginning)
    this.#isPassedOn = instead !== undefined
    this.#out.push(instead ? Buffer.from(instead) : linesOf(beginning.bytes))
    this.#mode = 'rows'
    this.#start = this.#at
    this.#tokens = []
    this.#rows = 0
    this.#countsRows = true
    this.#insertBytes = beginning.bytes.length
  }

  #passOn(to: number): void {
    const bytes = this.#buffer.subarray(this.#start, to)
    this.#insertBytes += bytes.length
    this.#out.push(this.#isPassedOn ? Buffer.from(bytes) : linesOf(bytes))
    this.#start = to
  }

  #endStatement(): void {
    if (this.#mode === 'rows') {
      this.#passOn(Math.min(this.#at, this.#used))
      this.#rules.inserted(this.#rows)
      if (this.#isPassedOn) this.#out.push(this.#delimiter)
    } else this.#endBuffered()
    this.#at += this.#delimiter.length
    this.#start = this.#at
    this.#mode = 'between'
    this.#tokens = []
    this.#depth = 0
    this.#countsRows = false
    this.#isExecutable = false
  }

  #endBuffered(): void {
    const statement = this.#statement()
    const instead = statement.tokens.length > 0 ? this.#rules.statement(statement) : undefined
    this.#out.push(instead ? Buffer.concat([instead, this.#delimiter]) : linesOf(statement.bytes))
  }

  #string(limit: number): void {
    const buffer = this.#buffer
    const quote = this.#quote
    const escapes = quote !== backtick && this.#rules.escapes
    while (this.#at < limit) {
      const byte = buffer[this.#at]!
      if (byte === quote) {
        if (this.#byte(1) !== quote || this.#at + 1 >= this.#used) {
          this.#at++
          this.#state = 'code'
          this.#push(quotes.get(quote)!)
          return
        }
        this.#at++
      } else if (byte === backslash && escapes) {
        this.#at++
        if (this.#at < this.#used && buffer[this.#at] === newline) this.#line++
      } else if (byte === newline) this.#line++
      this.#at++
    }
  }
}

/** Later than any MariaDB. */
const MAX_VERSION = 200_000
const MAX_WORD_LENGTH = 64
const lineEnd = Buffer.from('\n')

const isSpaceOrControl = (byte: number): boolean => byte <= 32 || byte === 127

/** As many line ends as in what is left out. */
export function linesOf(bytes: Buffer): Buffer {
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count++
  return Buffer.alloc(count, newline)
}
