import { isWithin } from '../names.ts'
import type { GivenRecord } from '../rules.ts'
import { dataOf } from './data.ts'
import { FileFault } from './fault.ts'
import { type Line, linesOf, type Word } from './lines.ts'

/** A record in a zone file. Names in it are absolute, with the final dot. */
export interface FileRecord {
  readonly line: number
  readonly record: GivenRecord
}

export interface Skipped {
  readonly line: number
  readonly reason: string
}

export interface ZoneFile {
  readonly records: readonly FileRecord[]
  readonly skipped: readonly Skipped[]
}

const skippedTypes = new Set(['SOA', 'RRSIG', 'NSEC', 'NSEC3', 'NSEC3PARAM', 'DNSKEY', 'CDS', 'CDNSKEY'])

/** Parses a zone file (RFC 1035); throws a `FileFault` for what it does not support. */
export function parseZoneFile(text: string, zone: string): ZoneFile {
  const reader = new Reader(zone)
  for (const line of linesOf(text)) reader.read(line)
  return reader
}

class Reader implements ZoneFile {
  readonly records: FileRecord[] = []
  readonly skipped: Skipped[] = []
  readonly #zone: string
  #origin: string
  #owner: string | undefined
  #ttl: number | undefined

  constructor(zone: string) {
    this.#zone = zone
    this.#origin = `${zone}.`
  }

  read(line: Line): void {
    const first = line.words[0]!
    if (!line.indented && !first.quoted && first.bytes[0] === 36) this.#directive(line, first)
    else this.#record(line)
  }

  #directive({ number, words }: Line, { bytes }: Word): void {
    const name = bytes.toString().toUpperCase()
    if (words.length !== 2 && (name === '$ORIGIN' || name === '$TTL'))
      throw new FileFault(number, `${name} takes one value`)
    if (name === '$ORIGIN') this.#origin = this.#within(number, this.#name(number, words[1]!))
    else if (name === '$TTL') this.#ttl = this.#defaultTtl(number, words[1]!)
    else throw new FileFault(number, `${printable(name)} is not supported`)
  }

  #defaultTtl(number: number, word: Word): number {
    const ttl = ttlOf(word)
    if (ttl === undefined) throw new FileFault(number, '$TTL is not a time')
    return ttl
  }

  #record(line: Line): void {
    const { number, indented } = line
    const words = [...line.words]
    const owner = indented ? this.#owner : this.#within(number, this.#name(number, words.shift()!))
    if (owner === undefined) throw new FileFault(number, 'the first record has no name')
    this.#owner = owner
    const ttl = takeHead(words, number) ?? this.#ttl
    const type = words.shift()
    if (!type || type.quoted || type.literal) throw new FileFault(number, 'a record has no type')
    this.#keep(
      number,
      { name: owner, type: type.bytes.toString().toUpperCase(), ...(ttl === undefined ? {} : { ttl }) },
      words,
    )
  }

  #keep(line: number, head: Omit<GivenRecord, 'value'>, words: readonly Word[]): void {
    const { name, type } = head
    const apex = name.toLowerCase() === `${this.#zone}.`
    if (skippedTypes.has(type)) this.skipped.push({ line, reason: `${type} is made by the server` })
    else if (type === 'NS' && apex)
      this.skipped.push({ line, reason: "the zone's name servers are those of the server" })
    else
      this.records.push({
        line,
        record: { ...head, ...dataOf(type, words, { line, name: (word) => this.#name(line, word) }) },
      })
  }

  /** Resolves a name: relative to the origin unless it ends with a dot. */
  #name(line: number, word: Word): string {
    const text = word.bytes.toString()
    if (word.quoted || word.literal || text === '') throw new FileFault(line, 'a name has characters that no name has')
    if (text === '@') return this.#origin
    return text.endsWith('.') ? text : `${text}.${this.#origin}`
  }

  #within(line: number, name: string): string {
    if (isWithin(name.toLowerCase().slice(0, -1), this.#zone)) return name
    throw new FileFault(line, `${printable(name)} is outside the zone ${this.#zone}`)
  }
}

const classes = new Set(['CH', 'HS', 'CS', 'ANY', 'NONE'])

/** Consumes TTL and class, in any order, and returns the TTL. */
function takeHead(words: Word[], line: number): number | undefined {
  let ttl: number | undefined
  let classed = false
  for (let word = words[0]; word; word = words[0]) {
    const text = word.bytes.toString().toUpperCase()
    const time = ttlOf(word)
    if (classes.has(text)) throw new FileFault(line, `records of class ${text} are not supported`)
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
