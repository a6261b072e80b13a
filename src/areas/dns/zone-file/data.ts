import { valueOfStrings } from '../../../shared/zone/strings.ts'
import type { RecordInput } from '../rules.ts'
import { FileError, LeftOut } from './error.ts'
import type { Word } from './lines.ts'

type RecordValues = Pick<RecordInput, 'value' | 'priority' | 'weight' | 'port' | 'flags' | 'tag'>

interface Where {
  readonly line: number
  /** Makes a name absolute. */
  name(word: Word): string
}

type ReadData = (words: readonly Word[], where: Where) => RecordValues

/** Reads exactly so many words. */
const exactly =
  (count: number, form: string, read: ReadData): ReadData =>
  (words, where) => {
    if (words.length !== count) throw new FileError(where.line, `expected ${form}`)
    return read(words, where)
  }

function number(word: Word, { line }: Where): number {
  const text = word.bytes.toString('latin1')
  if (word.quoted || !/^\d{1,5}$/.test(text)) throw new FileError(line, 'expected a number')
  return Number(text)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(...parts: readonly Buffer[]): string {
  try {
    return decoder.decode(Buffer.concat(parts))
  } catch {
    throw new LeftOut('its text is not UTF-8')
  }
}

/** Strings that are cut at 255 bytes are one text; others stay apart (RFC 6763 reads an entry in each). */
function textsOf(words: readonly Word[]): string {
  const parts = words.map(({ bytes }) => bytes)
  const isCut = parts.slice(0, -1).every(({ length }) => length === MAX_STRING_BYTES)
  return valueOfStrings(isCut ? [textOf(...parts)] : parts.map((part) => textOf(part)))
}

const MAX_STRING_BYTES = 255

const bare = (words: readonly Word[]): string => words.map(({ bytes }) => bytes.toString('latin1')).join(' ')

const host = exactly(1, 'the name of a host', ([target], where) => ({ value: where.name(target!) }))
const digest: ReadData = (words) => ({ value: bare(words) })
/** Words as they are in the file. */
const rawOf = (words: readonly Word[]): string => words.map(({ raw, glued }) => (glued ? raw : ` ${raw}`)).join('')

const service: ReadData = ([priority, target, ...parameters], where) => {
  if (!priority || !target) throw new FileError(where.line, 'expected a priority, a host and parameters')
  return { priority: number(priority, where), value: `${where.name(target)}${rawOf(parameters)}` }
}

const naptr = exactly(6, 'an order, a preference, flags, services, an expression and a host', (words, where) => ({
  value: `${rawOf(words.slice(0, 5)).trim()} ${where.name(words[5]!)}`,
}))

const address = exactly(1, 'one address', (words) => ({ value: bare(words) }))

const readers: Readonly<Record<string, ReadData>> = {
  A: address,
  AAAA: address,
  CAA: exactly(3, 'flags, a tag and a value', ([flags, tag, value], where) => ({
    flags: number(flags!, where),
    tag: tag!.bytes.toString('latin1').toLowerCase(),
    value: textOf(value!.bytes),
  })),
  CNAME: host,
  DNAME: host,
  DS: digest,
  HTTPS: service,
  LOC: digest,
  MX: exactly(2, 'a priority and a host', ([priority, target], where) => ({
    priority: number(priority!, where),
    value: where.name(target!),
  })),
  NAPTR: naptr,
  NS: host,
  OPENPGPKEY: digest,
  PTR: host,
  SMIMEA: digest,
  SRV: exactly(4, 'a priority, a weight, a port and a host', ([priority, weight, port, target], where) => ({
    priority: number(priority!, where),
    weight: number(weight!, where),
    port: number(port!, where),
    value: where.name(target!),
  })),
  SSHFP: digest,
  SVCB: service,
  TLSA: digest,
  TXT: (words, { line }) => {
    if (words.length === 0) throw new FileError(line, 'expected a text')
    return { value: textsOf(words) }
  },
  URI: exactly(3, 'a priority, a weight and an address', ([priority, weight, value], where) => ({
    priority: number(priority!, where),
    weight: number(weight!, where),
    value: textOf(value!.bytes),
  })),
}

/** Types of IANA's registry that are not served here. */
const unsupported = new Set(
  `A6 AFSDB AMTRELAY APL ATMA AVC CERT CLA CSYNC DHCID DLV DOA DSYNC EID EUI48 EUI64 GPOS HHIT HINFO HIP IPN IPSECKEY
  ISDN KEY KX L32 L64 LP MB MD MF MG MINFO MR NID NIMLOC NINFO NSAP NSAP-PTR NULL NXT PX RESINFO RKEY RP RT SIG SINK SPF
  TA TALINK UINFO UID UNSPEC WALLET WKS X25 GID ANAME ALIAS CAA-ALIAS`.split(/\s+/),
)

/** A record's data in a zone file; throws `LeftOut` for types that are not served, and for others a `FileError`. */
export function dataOf(type: string, words: readonly Word[], where: Where): RecordValues {
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined
  if (words[0]?.raw === '\\#') throw new LeftOut('the form of unknown types (RFC 3597) is not supported')
  if (read) return read(words, where)
  const visible = type.replace(/[^!-~]/g, '?').slice(0, 20)
  if (type === 'SPF') throw new LeftOut('type SPF is obsolete (RFC 7208, 3.1); the TXT record counts')
  if (unsupported.has(type) || /^TYPE\d{1,5}$/.test(type))
    throw new LeftOut(`records of type ${visible} are not supported`)
  throw new FileError(where.line, `${visible} is not a type of records`)
}
