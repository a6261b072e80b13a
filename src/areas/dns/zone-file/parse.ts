import { maxRecords } from '../../../contract/dns.ts'
import { runToEnd, type Steps } from '../../../runtime/operations/slices.ts'
import { isRooted, isWithin, normalized } from '../names.ts'
import type { RecordInput } from '../rules.ts'
import { dataOf } from './data.ts'
import { FileError, LeftOut, TooLong, TooManyLines } from './error.ts'
import { linesOf, type Word, type ZoneLine } from './lines.ts'

/** A record in a zone file. Names in it are absolute, with the final dot. */
export interface FileRecord {
  readonly line: number
  readonly record: RecordInput
}

export interface Skipped {
  readonly line: number
  readonly reason: string
}

export interface ZoneFile {
  readonly records: readonly FileRecord[]
  readonly skipped: readonly Skipped[]
  /** What makes the file unusable, in order of lines. */
  readonly errors: readonly FileError[]
}

const skippedTypes = new Set(
  'SOA RRSIG SIG NSEC NXT NSEC3 NSEC3PARAM DNSKEY KEY CDS CDNSKEY ZONEMD TYPE65534'.split(' '),
)

/** A longer list would be slow to collect and too long to read. */
const MAX_ERRORS = 100

/** The records of the largest zone, each with its signatures and denial, and a directive before each. */
const MAX_LINES = 8 * maxRecords

/**
 * Parses a zone file (RFC 1035) in steps: all of it, whatever is wrong with a line. Throws `TooManyLines` as soon as there
 * are more than the largest zone has.
 */
export function* zoneFileSteps(text: string, zone: string): Steps<ZoneFile> {
  const reader = new ZoneReader(zone)
  let lines = 0
  for (const line of linesOf(text)) {
    if (line instanceof FileError) reader.errors.push(line)
    else if (line) reader.read(line)
    if (reader.errors.length >= MAX_ERRORS || reader.errors.at(-1) instanceof TooLong) break
    if (line && ++lines > MAX_LINES) throw new TooManyLines(`A zone file has at most ${MAX_LINES} lines with content.`)
    yield
  }
  reader.end()
  return reader
}

export const parseZoneFile = (text: string, zone: string): ZoneFile => runToEnd(zoneFileSteps(text, zone))

class ZoneReader implements ZoneFile {
  readonly records: FileRecord[] = []
  readonly skipped: Skipped[] = []
  readonly errors: FileError[] = []
  readonly #zone: string
  #origin: string
  #owner: string | undefined
  /** The first name that is not in the zone. */
  #outside: FileError | undefined
  #ttl: number | undefined

  constructor(zone: string) {
    this.#zone = zone
    this.#origin = `${zone}.`
  }

  read(line: ZoneLine): void {
    const first = line.words[0]!
    const isDirective = !line.indented && !first.quoted && !first.literal && first.bytes[0] === 36
    try {
      if (isDirective) this.#directive(line, first)
      else this.#record(line)
    } catch (error) {
      if (error instanceof LeftOut) this.skipped.push({ line: line.number, reason: error.message })
      else if (error instanceof FileError) this.errors.push(error)
      else throw error
    }
  }

  #directive({ number, words }: ZoneLine, { bytes }: Word): void {
    const name = bytes.toString().toUpperCase()
    if (words.length !== 2 && (name === '$ORIGIN' || name === '$TTL'))
      throw new FileError(number, `${name} takes one value`)
    if (name === '$ORIGIN') this.#origin = this.#originOf(number, words[1]!)
    else if (name === '$TTL') this.#ttl = this.#defaultTtl(number, words[1]!)
    else throw new FileError(number, `${printable(name)} is not supported`)
  }

  /** Any origin may be named: records are checked by their own names. */
  #originOf(number: number, word: Word): string {
    return word.raw === '.' ? '.' : this.#name(number, word)
  }

  #defaultTtl(number: number, word: Word): number {
    const ttl = ttlOf(word)
    if (ttl === undefined) throw new FileError(number, '$TTL is not a time')
    return ttl
  }

  #record(line: ZoneLine): void {
    const { number, indented } = line
    const words = [...line.words]
    const owner = indented ? this.#owner : this.#name(number, words.shift()!)
    if (owner === undefined) throw new FileError(number, 'the first record has no name')
    this.#owner = owner
    if (!this.#isWithin(owner)) return this.#leaveOutside(number, owner)
    const ttl = takeHead(words) ?? this.#ttl
    const type = words.shift()
    if (!type || type.quoted || type.literal) throw new FileError(number, 'a record has no type')
    this.#keep(
      number,
      { name: owner, type: type.bytes.toString().toUpperCase(), ...(ttl === undefined ? {} : { ttl }) },
      words,
    )
  }

  #keep(line: number, head: Omit<RecordInput, 'value'>, words: readonly Word[]): void {
    const { name, type } = head
    const apex = normalized(name.slice(0, -1)) === this.#zone
    if (skippedTypes.has(type)) this.skipped.push({ line, reason: `${type} is made by the server` })
    else if (type === 'NS' && apex)
      this.skipped.push({ line, reason: "the zone's name servers are those of the server" })
    else {
      if (this.records.length >= maxRecords)
        throw new TooManyLines(`A zone has at most ${maxRecords} records; the file has more.`)
      this.records.push({
        line,
        record: { ...head, ...dataOf(type, words, { line, name: (word) => this.#name(line, word) }) },
      })
    }
  }

  /** Resolves a name: relative to the origin unless it ends with a dot. */
  #name(line: number, word: Word): string {
    const text = word.raw
    if (word.quoted || text === '') throw new FileError(line, 'a name has characters that no name has')
    if (text === '@') return this.#origin
    // Some programs write the origin as a label.
    const own = text.endsWith('.@') ? text.slice(0, -2) : text
    const name = isRooted(own) ? own : `${own}.${this.#origin === '.' ? '' : this.#origin}`
    // Origins are relative to the one before: without a limit each would be longer.
    if (name.length > MAX_NAME_CHARACTERS) throw new TooLong(line, 'a name is too long')
    return name
  }

  #isWithin(name: string): boolean {
    return isWithin(normalized(name.slice(0, -1)), this.#zone)
  }

  #leaveOutside(line: number, name: string): void {
    const outside = new FileError(line, `${printable(name)} is outside the zone ${this.#zone}`)
    this.#outside ??= outside
    this.skipped.push({ line, reason: outside.message.replace(/^line \d+: /, '') })
  }

  /** A file without any name of the zone is another zone's. */
  end(): void {
    if (this.#outside && this.records.length === 0 && this.errors.length === 0) this.errors.push(this.#outside)
  }
}

/** More than any name has, in whatever way it is written. */
const MAX_NAME_CHARACTERS = 1024

const classes = new Set(['CH', 'HS', 'CS', 'ANY', 'NONE'])

/** Consumes TTL and class, in any order, and returns the TTL. */
function takeHead(words: Word[]): number | undefined {
  let ttl: number | undefined
  let classed = false
  for (let word = words[0]; word; word = words[0]) {
    const text = word.bytes.toString().toUpperCase()
    const time = ttlOf(word)
    if (classes.has(text)) throw new LeftOut(`records of class ${text} are not served`)
    if (text === 'IN' && !classed) classed = true
    else if (time !== undefined && ttl === undefined) ttl = time
    else break
    words.shift()
  }
  return ttl
}

const seconds: Readonly<Record<string, number>> = { S: 1, M: 60, H: 3600, D: 86_400, W: 604_800 }

/** Seconds, also written as `1h30m`. */
function ttlOf({ bytes, quoted, literal }: Word): number | undefined {
  const text = bytes.toString('latin1').toUpperCase()
  if (quoted || literal || text.length > 20) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  if (!/^(?:\d+[SMHDW])+$/.test(text)) return undefined
  return text.match(/\d+[SMHDW]/g)!.reduce((sum, part) => sum + Number(part.slice(0, -1)) * seconds[part.at(-1)!]!, 0)
}

/** Makes text from a file safe to quote in a message. */
const printable = (text: string): string => text.replace(/[^!-~]/g, '?').slice(0, 80)
