import type { DumpStatement } from '../contract/commands/imports.ts'

/** What a dump consists of. */
export interface DumpFindings {
  readonly bytes: number
  readonly statements: number
  readonly tables: number
  readonly views: number
  readonly triggers: number
  readonly routines: number
  readonly events: number
  readonly refused: readonly DumpStatement[]
  readonly refusedCount: number
  readonly left: readonly DumpStatement[]
}

/** Of the text of a statement, without the content of its quotes and comments, this much is looked at. */
const MAX_HEAD_LENGTH = 64 * 1024
/** Of statements other than INSERT. */
const MAX_STATEMENT_BYTES = 16 * 1024 * 1024
const MAX_LISTED = 20

const [NEWLINE, SINGLE, DOUBLE, BACKTICK, BACKSLASH] = [0x0a, 0x27, 0x22, 0x60, 0x5c] as const
const [SLASH, STAR, DASH, HASH, BANG] = [0x2f, 0x2a, 0x2d, 0x23, 0x21] as const

type State = 'code' | 'quoted' | 'comment' | 'line' | 'delimiter'

/**
 * Judges the statements of a dump in one pass over its bytes. Knows quotes, comments, those that servers run
 * (`/*!50003 …`), and DELIMITER. Nothing of a dump is run that this has not seen.
 */
export class DumpReader {
  readonly #database: string
  #bytes = 0
  #statements = 0
  readonly #counts = { tables: 0, views: 0, triggers: 0, routines: 0, events: 0 }
  readonly #refused: DumpStatement[] = []
  #refusedCount = 0
  readonly #left: DumpStatement[] = []
  #state: State = 'code'
  #quote = 0
  /** Open comments that servers run. */
  #runs = 0
  #delimiter = Buffer.from(';')
  #delimiterLine = ''
  #head = ''
  #length = 0
  #line = 1
  #beganAt = 1
  #isInsert = false
  #hasCommand = false
  /** Bytes whose meaning depends on the next ones. */
  #rest: Buffer = Buffer.alloc(0)

  constructor(database: string) {
    this.#database = database
  }

  write(chunk: Buffer): void {
    this.#bytes += chunk.length
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const at = this.#scan(bytes, Math.max(0, bytes.length - LOOKAHEAD_BYTES))
    this.#rest = Buffer.from(bytes.subarray(at))
  }

  end(): DumpFindings {
    this.#scan(this.#rest, this.#rest.length)
    this.#rest = Buffer.alloc(0)
    if (this.#state === 'delimiter') this.#setDelimiter()
    if (this.#state === 'quoted') this.#hasCommand = false
    const isOpen = this.#state === 'quoted' || this.#state === 'comment'
    if (this.#head.trim() !== '') this.#decide(isOpen ? 'a statement without an end' : undefined)
    return {
      bytes: this.#bytes,
      statements: this.#statements,
      ...this.#counts,
      refused: this.#refused,
      refusedCount: this.#refusedCount,
      left: this.#left,
    }
  }

  /** Returns where it stopped: at `stop`, or a little behind. */
  #scan(bytes: Buffer, stop: number): number {
    let at = 0
    while (at < stop) {
      if (this.#state === 'code') at = this.#code(bytes, at)
      else if (this.#state === 'quoted') at = this.#quoted(bytes, at, stop)
      else if (this.#state === 'comment') at = this.#comment(bytes, at, stop)
      else at = this.#toLineEnd(bytes, at, stop)
    }
    return at
  }

  #code(bytes: Buffer, at: number): number {
    const byte = bytes[at]!
    const next = bytes[at + 1]
    if (this.#startsDelimiter(bytes, at)) return this.#statementEnds(at)
    if (byte === SINGLE || byte === DOUBLE || byte === BACKTICK) return this.#opens(byte, at)
    if (byte === HASH || (byte === DASH && next === DASH && isBlank(bytes[at + 2])))
      return this.#becomes('line', at + 1)
    if (byte === SLASH && next === STAR) return this.#opensComment(bytes, at)
    if (byte === STAR && next === SLASH && this.#runs > 0) return this.#closesComment(at)
    if (byte === BACKSLASH) this.#hasCommand = true
    if (byte === NEWLINE) this.#line++
    if (this.#head.trim() === '' && this.#isDelimiterCommand(bytes, at)) return this.#becomes('delimiter', at + 9)
    this.#add(isBlank(byte) ? ' ' : String.fromCharCode(byte))
    return at + 1
  }

  #startsDelimiter(bytes: Buffer, at: number): boolean {
    if (bytes[at] !== this.#delimiter[0]) return false
    return bytes.subarray(at, at + this.#delimiter.length).equals(this.#delimiter)
  }

  #statementEnds(at: number): number {
    this.#decide()
    return at + this.#delimiter.length
  }

  #isDelimiterCommand(bytes: Buffer, at: number): boolean {
    if ((bytes[at]! | 0x20) !== 0x64) return false
    return /^delimiter[ \t]$/i.test(bytes.toString('latin1', at, at + 10))
  }

  #becomes(state: State, at: number): number {
    this.#state = state
    this.#delimiterLine = ''
    return at
  }

  #opens(quote: number, at: number): number {
    this.#quote = quote
    this.#add(String.fromCharCode(quote))
    return this.#becomes('quoted', at + 1)
  }

  /** Names are looked at; the content of strings is not. */
  #quoted(bytes: Buffer, at: number, stop: number): number {
    const isName = this.#quote === BACKTICK
    let next = at
    for (; next < stop; next++) {
      const byte = bytes[next]!
      if (byte === NEWLINE) this.#line++
      if (byte === BACKSLASH && !isName) {
        if (bytes[next + 1] === NEWLINE) this.#line++
        this.#length += 2
        next++
        continue
      }
      if (byte !== this.#quote) {
        if (isName) this.#add(String.fromCharCode(byte))
        else this.#length++
        continue
      }
      if (bytes[next + 1] === this.#quote) {
        if (isName) this.#add('``')
        next++
        continue
      }
      this.#add(String.fromCharCode(byte))
      return this.#becomes('code', next + 1)
    }
    return next
  }

  #opensComment(bytes: Buffer, at: number): number {
    const mark = /^\/\*M?!\d{0,6}/.exec(bytes.toString('latin1', at, at + 10))
    if (!mark || (bytes[at + 2] !== BANG && bytes[at + 3] !== BANG)) return this.#becomes('comment', at + 2)
    this.#runs++
    this.#add(' ')
    return at + mark[0].length
  }

  #closesComment(at: number): number {
    this.#runs--
    this.#add(' ')
    return at + 2
  }

  #comment(bytes: Buffer, at: number, stop: number): number {
    for (let next = at; next < stop; next++) {
      if (bytes[next] === NEWLINE) this.#line++
      if (bytes[next] === STAR && bytes[next + 1] === SLASH) {
        this.#add(' ')
        return this.#becomes('code', next + 2)
      }
    }
    return stop
  }

  #toLineEnd(bytes: Buffer, at: number, stop: number): number {
    const end = bytes.indexOf(NEWLINE, at)
    const until = end < 0 || end >= stop ? stop : end
    if (this.#state === 'delimiter' && this.#delimiterLine.length < 64)
      this.#delimiterLine += bytes.toString('latin1', at, until)
    if (until < stop) {
      if (this.#state === 'delimiter') this.#setDelimiter()
      this.#state = 'code'
    }
    return until
  }

  #setDelimiter(): void {
    const text = this.#delimiterLine.trim().split(/\s/)[0] ?? ''
    this.#head = ''
    if (text !== '' && text.length <= MAX_DELIMITER_LENGTH && !/[\\'"`]/.test(text)) {
      this.#delimiter = Buffer.from(text, 'latin1')
      return
    }
    this.#statements++
    this.#refuse('DELIMITER')
  }

  #add(text: string): void {
    this.#length++
    if (this.#head === '') {
      if (text === ' ') return
      this.#beganAt = this.#line
    }
    if (this.#isInsert || this.#head.length >= MAX_HEAD_LENGTH) return
    this.#head += text
    if (this.#head.length === INSERT_HEAD_LENGTH && /^(?:INSERT|REPLACE)\b.*\bVALUES\b/i.test(this.#head))
      this.#isInsert = true
  }

  #decide(problem?: string): void {
    const head = this.#head.replaceAll(/ +/g, ' ').trim()
    const length = this.#length
    const hasCommand = this.#hasCommand
    this.#head = ''
    this.#length = 0
    this.#isInsert = false
    this.#hasCommand = false
    if (head === '') return
    this.#statements++
    if (problem || hasCommand) return this.#refuse(problem ?? 'a command of the client')
    const verdict = verdictOf(head, this.#database)
    if (verdict.counts) this.#counts[verdict.counts]++
    if (verdict.left) this.#leave(verdict.left)
    if (verdict.refused) this.#refuse(verdict.refused)
    else if (length > MAX_STATEMENT_BYTES && !/^(?:INSERT|REPLACE)\b/i.test(head)) this.#refuse('more than 16 MiB')
  }

  #refuse(kind: string): void {
    this.#refusedCount++
    if (this.#refused.length < MAX_LISTED) this.#refused.push({ number: this.#statements, line: this.#beganAt, kind })
  }

  #leave(kind: string): void {
    if (this.#left.length < MAX_LISTED) this.#left.push({ number: this.#statements, line: this.#beganAt, kind })
  }
}

/** The longest sign that is looked for, and more. */
const LOOKAHEAD_BYTES = 16
const MAX_DELIMITER_LENGTH = 8
const INSERT_HEAD_LENGTH = 1024

const isBlank = (byte: number | undefined): boolean => byte === undefined || byte <= 0x20

interface Verdict {
  readonly counts?: 'tables' | 'views' | 'triggers' | 'routines' | 'events'
  readonly left?: string
  readonly refused?: string
}

const made =
  /^CREATE (?:OR REPLACE )?(?:(?:TEMPORARY|AGGREGATE) )?(?:ALGORITHM ?= ?\w+ )?(?:DEFINER ?= ?\S+ )?(?:SQL SECURITY \w+ )?(TABLE|VIEW|TRIGGER|PROCEDURE|FUNCTION|EVENT|SEQUENCE)\b/i
const counted = {
  TABLE: 'tables',
  VIEW: 'views',
  TRIGGER: 'triggers',
  PROCEDURE: 'routines',
  FUNCTION: 'routines',
} as const
/** Session variables that dumps set at their head and foot. */
const sessionVariables =
  /^(?:@\w|@@session\.|session |names\b|character set\b|character_set_\w+|collation_\w+|time_zone|sql_mode|sql_notes|unique_checks|foreign_key_checks|autocommit|sql_auto_increment\w*|sql_quote_show_create|transaction isolation)/i
const engines = new Set(['innodb', 'myisam', 'aria', 'memory', 'csv', 'heap'])
const MAX_KIND_LENGTH = 40

/** What becomes of a statement, by its text without the content of strings. */
function verdictOf(head: string, database: string): Verdict {
  const text = head.replace(/^;+ ?/, '')
  const other = otherDatabase(text, database)
  if (/^SET\b/i.test(text)) return ofSet(text.slice(4))
  if (/^(?:INSERT|REPLACE) /i.test(text)) return ofInsert(text, other)
  if (/^(?:UNLOCK TABLES|COMMIT|START TRANSACTION|BEGIN|ROLLBACK)$/i.test(text)) return {}
  if (/^LOCK TABLES? /i.test(text)) return other ? { refused: other } : {}
  if (/^CREATE (?:OR REPLACE )?(?:DATABASE|SCHEMA)\b/i.test(text)) return { left: 'CREATE DATABASE' }
  if (/^ALTER (?:DATABASE|SCHEMA)\b/i.test(text)) return { left: 'ALTER DATABASE' }
  if (/^USE\b/i.test(text)) return bare(text.slice(4)) === database ? { left: 'USE' } : { refused: 'USE' }
  if (/^DROP (?:TABLE|VIEW|TRIGGER|PROCEDURE|FUNCTION|EVENT|SEQUENCE) IF EXISTS\b/i.test(text))
    return other ? { refused: other } : {}
  if (/^ALTER TABLE .* (?:DISABLE|ENABLE) KEYS$/i.test(text)) return other ? { refused: other } : {}
  return ofCreate(text, other)
}

function ofSet(rest: string): Verdict {
  if (/\bGTID_|SQL_LOG_BIN/i.test(rest)) return { left: 'GTID' }
  if (/\bGLOBAL\b/i.test(rest)) return { left: 'SET GLOBAL' }
  return sessionVariables.test(rest.trim()) ? {} : { refused: kindOf(`SET ${rest}`) }
}

function ofInsert(text: string, other: string | undefined): Verdict {
  if (other) return { refused: other }
  if (/\bINTO (?:OUTFILE|DUMPFILE)\b/i.test(text)) return { refused: 'INTO OUTFILE' }
  const words = text.replaceAll(/`(?:[^`]|``)*`/g, 'n')
  return /^(?:INSERT|REPLACE) (?:(?:IGNORE|DELAYED|LOW_PRIORITY) )?(?:INTO )?n ?(?:\([^()]*\))? ?VALUES?\b/i.test(
    words,
  ) || /^(?:INSERT|REPLACE) (?:(?:IGNORE|DELAYED|LOW_PRIORITY) )?(?:INTO )?\w+ ?(?:\([^()]*\))? ?VALUES?\b/i.test(words)
    ? {}
    : { refused: 'INSERT without VALUES' }
}

function ofCreate(text: string, other: string | undefined): Verdict {
  if (/\bSONAME\b/i.test(text)) return { refused: 'SONAME' }
  if (/\bINTO (?:OUTFILE|DUMPFILE)\b/i.test(text)) return { refused: 'INTO OUTFILE' }
  const kind = made.exec(text)?.[1]?.toUpperCase()
  if (!kind) return { refused: kindOf(text) }
  if (other) return { refused: other }
  if (kind === 'EVENT') return { counts: 'events' }
  if (kind !== 'TABLE') return kind === 'SEQUENCE' ? {} : { counts: counted[kind as keyof typeof counted] }
  if (/\b(?:DATA|INDEX) DIRECTORY\b/i.test(text)) return { refused: 'DATA DIRECTORY' }
  const engine = /\b(?:ENGINE|TYPE) ?= ?[`'"]?(\w+)/i.exec(text)?.[1]
  if (engine && !engines.has(engine.toLowerCase())) return { refused: `ENGINE=${engine.slice(0, MAX_KIND_LENGTH)}` }
  if (/\bSELECT\b/i.test(text.replaceAll(/`(?:[^`]|``)*`/g, ''))) return { refused: 'CREATE TABLE … SELECT' }
  return { counts: 'tables' }
}

/** The first words of a statement: what it is, never what it holds. */
const kindOf = (text: string): string =>
  (/^\W*((?:[A-Za-z_]+ ?){1,2})/.exec(text)?.[1]?.trim().toUpperCase() ?? 'an unknown statement').slice(
    0,
    MAX_KIND_LENGTH,
  )

const bare = (text: string): string => text.trim().replaceAll(/^`|`$/g, '')

const target =
  /^(?:INSERT|REPLACE|CREATE|DROP|ALTER|LOCK)\b.*?\b(?:INTO|TABLES?|VIEW|TRIGGER|PROCEDURE|FUNCTION|EVENT|SEQUENCE)(?: IF (?:NOT )?EXISTS)? (`(?:[^`]|``)*`|\w+) ?\. ?(?:`|\w)/i

/** That an object of another database is named. */
function otherDatabase(text: string, database: string): string | undefined {
  const name = target.exec(text)?.[1]
  return name === undefined || bare(name) === database ? undefined : 'another database'
}
