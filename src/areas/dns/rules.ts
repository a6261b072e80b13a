import { isIPv4, isIPv6 } from 'node:net'
import type { RecordType, ZoneRecord } from '../../shared/zone/record.ts'
import { recordTypes } from '../../shared/zone/record.ts'
import { stringsOf, textOf, valueOfStrings } from '../../shared/zone/strings.ts'
import { ZoneError } from './error.ts'
import { hostOf, isHostName, ownerOf } from './names.ts'
import { location, openPgpKey, rewriting, serviceBinding, uri } from './other-types.ts'
import { pastedAddress, pastedAuthority, pastedData, pastedText } from './pasted-value.ts'

/** A record as a caller sends it. */
export interface RecordInput {
  readonly name: string
  readonly type: string
  readonly value: string
  readonly ttl?: number | null | undefined
  readonly priority?: number | undefined
  readonly weight?: number | undefined
  readonly port?: number | undefined
  readonly flags?: number | undefined
  readonly tag?: string | undefined
}

const extras = ['priority', 'weight', 'port', 'flags', 'tag'] as const
type Extra = (typeof extras)[number]

interface RecordRule {
  /** The normalized value; throws for an invalid one. */
  readonly value: (value: string, zone: string, input: RecordInput) => string
  /** Throws for a name that cannot have such a record. */
  readonly owner?: (name: string) => void
  /** All of the record's data in one text. */
  readonly data?: RegExp
  /** Further fields with their defaults; undefined if required. */
  readonly extras?: { readonly [Field in Extra]?: number | undefined }
}

function noUnderscore(name: string): void {
  if (!isHostName(name)) throw new ZoneError('name', 'must have no underscore: a host name has none')
}

/** Domain controllers of Active Directory need an address at such a name, which BIND allows. */
function addressOwner(name: string): void {
  if (!/^gc\._msdcs(?:\.|$)/.test(name)) noUnderscore(name)
}

function address(is: (value: string) => boolean, what: string, shortest: (value: string) => string): RecordRule {
  return {
    value: (input) => {
      const value = pastedAddress(input)
      if (!is(value)) throw new ZoneError('value', `must be an ${what} address`)
      return shortest(value)
    },
    owner: addressOwner,
  }
}

const shortestIPv6 = (value: string): string => new URL(`http://[${value}]`).hostname.slice(1, -1)

const pointer: RecordRule = { value: (value, zone) => hostOf(value, zone, true) }

function noWildcard(name: string): void {
  if (name.startsWith('*')) throw new ZoneError('name', 'must not be a wildcard')
}

function belowApex(name: string): void {
  if (name === '@') throw new ZoneError('name', "must be below the zone: the zone's own name servers are not records")
  if (name.startsWith('*')) throw new ZoneError('name', 'must not be a wildcard')
}

function mailServer(value: string, zone: string, { priority = 0 }: RecordInput): string {
  if (value !== '.') return hostOf(value, zone)
  if (priority !== 0) throw new ZoneError('priority', 'must be 0 where the value is "." (no mail)')
  return value
}

/** Most begin with a service and a protocol; half of that is a slip. */
function service(name: string): void {
  if (name.startsWith('_') && !/^_[^.]+\._[^.]+(?:\.|$)/.test(name))
    throw new ZoneError('name', 'must begin with a service and a protocol: _sip._tcp')
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const issuer = new RegExp(`^(?:${label}(?:\\.${label})+)?\\s*(?:;[ -~]*)?$`)
/** Properties whose value is an authority, perhaps with parameters (RFC 8659, 4.2). */
const issuing = new Set(['issue', 'issuewild', 'issuemail', 'issuevmc'])

function authority(input: string, _zone: string, { tag }: RecordInput): string {
  const value = pastedAuthority(input, issuing.has(tag!))
  if (!/^[ -~]{1,255}$/.test(value)) throw new ZoneError('value', 'must be 1 to 255 printable ASCII characters')
  if (issuing.has(tag!) && !issuer.test(value))
    throw new ZoneError('value', 'must be the domain of an authority, such as letsencrypt.org, or ; for none')
  if (tag === 'iodef' && !/^(?:mailto:[^\s@]+@[^\s@]+|https?:\/\/\S+)$/i.test(value))
    throw new ZoneError('value', 'must be a mailto: or https: address')
  return value
}

const MAX_TEXT_LENGTH = 4096

function text(input: string): string {
  const value = pastedText(input)
  const strings = stringsOf(value)
  if (strings && strings.length === 1 && valueOfStrings(strings) === strings[0])
    throw new ZoneError('value', `must be the text itself, without quotes: ${strings[0]}`)
  for (const one of strings ?? [])
    if (Buffer.byteLength(one) > MAX_STRING_BYTES)
      throw new ZoneError('value', `must have at most ${MAX_STRING_BYTES} bytes in each of its strings`)
  const size = Buffer.byteLength(textOf(value))
  if (size < 1 || size > MAX_TEXT_LENGTH) throw new ZoneError('value', `must be 1 to ${MAX_TEXT_LENGTH} bytes`)
  if (/\p{Cc}/u.test(value)) throw new ZoneError('value', 'must not contain control characters')
  if (!strings && value.startsWith('"') && value.endsWith('"'))
    throw new ZoneError('value', 'must be the text itself, without quotes')
  return value
}

const MAX_STRING_BYTES = 255

interface Digest {
  /** Checks of the numbers before the digest. */
  readonly numbers: readonly ((number: number) => boolean)[]
  /** Hex digits by the last number; undefined: any. */
  readonly lengths: Readonly<Record<number, number | undefined>>
  readonly form: string
}

const upTo = (max: number) => (number: number) => number <= max
const oneOf =
  (...known: number[]) =>
  (number: number) =>
    known.includes(number)

/** Numbers, then a hex digest: `tag alg type hex`. */
function digest({ numbers, lengths, form }: Digest): (value: string) => string {
  const count = numbers.length
  return (value) => {
    const words = value.trim().split(/[ \t]+/)
    const [leading, hex] = [words.slice(0, count), words.slice(count).join('')]
    const known =
      leading.length === count && leading.every((word, at) => /^\d{1,5}$/.test(word) && numbers[at]!(Number(word)))
    if (!known || !/^(?:[0-9a-f]{2})+$/i.test(hex)) throw new ZoneError('value', `must be ${form}`)
    const expected = lengths[Number(leading.at(-1))]
    if (expected !== undefined && hex.length !== expected)
      throw new ZoneError('value', `must have ${expected} hex digits for the type ${Number(leading.at(-1))}`)
    if (hex.length > 2 * MAX_TEXT_LENGTH) throw new ZoneError('value', 'is too long')
    return [...leading.map(Number), hex].join(' ')
  }
}

const certificateData: RecordRule = {
  value: digest({
    numbers: [upTo(3), upTo(1), upTo(2)],
    lengths: { 1: 64, 2: 128 },
    form: 'a usage (0 to 3), a selector (0 or 1), a type (0 to 2) and the data in hex',
  }),
}

/** SVCB and HTTPS (RFC 9460). */
const bound: RecordRule = {
  value: serviceBinding,
  extras: { priority: 1 },
  data: /^(?<priority>\d{1,5})\s+(?<value>\S.*)$/,
}

const rules: Readonly<Record<RecordType, RecordRule>> = {
  A: address(isIPv4, 'IPv4', (value) => value),
  AAAA: address((value) => isIPv6(value) && !value.includes('%'), 'IPv6', shortestIPv6),
  CAA: {
    value: authority,
    extras: { flags: 0, tag: undefined },
    data: /^(?<flags>\d{1,3})\s+(?<tag>[A-Za-z0-9]+)\s+(?<value>.+)$/,
  },
  CNAME: pointer,
  DNAME: { ...pointer, owner: noWildcard },
  DS: {
    value: digest({
      numbers: [upTo(65_535), upTo(255), oneOf(1, 2, 4)],
      lengths: { 1: 40, 2: 64, 4: 96 },
      form: 'a key tag, an algorithm, a digest type (1, 2 or 4) and the digest in hex',
    }),
    owner: belowApex,
  },
  HTTPS: bound,
  LOC: { value: location },
  MX: {
    value: mailServer,
    owner: noUnderscore,
    extras: { priority: 0 },
    data: /^(?<priority>\d{1,5})\s+(?<value>\S+)$/,
  },
  NAPTR: { value: rewriting },
  NS: { value: (value, zone) => hostOf(value, zone), owner: belowApex },
  OPENPGPKEY: { value: openPgpKey },
  PTR: pointer,
  SMIMEA: certificateData,
  SRV: {
    value: (value, zone) => (value === '.' ? value : hostOf(value, zone)),
    owner: service,
    extras: { priority: 0, weight: 0, port: undefined },
    data: /^(?<priority>\d{1,5})\s+(?<weight>\d{1,5})\s+(?<port>\d{1,5})\s+(?<value>\S+)$/,
  },
  SSHFP: {
    value: digest({
      numbers: [oneOf(1, 2, 3, 4, 6), oneOf(1, 2)],
      lengths: { 1: 40, 2: 64 },
      form: 'an algorithm (1, 2, 3, 4 or 6), a type (1 or 2) and the fingerprint in hex',
    }),
  },
  SVCB: bound,
  TLSA: certificateData,
  TXT: { value: text },
  URI: {
    value: uri,
    extras: { priority: 0, weight: 0 },
    data: /^(?<priority>\d{1,5})\s+(?<weight>\d{1,5})\s+(?<value>\S+)$/,
  },
}

const isKnown = (type: string): type is RecordType => (recordTypes as readonly string[]).includes(type)

/** The normalized record, by its type's rules alone; throws a `Fault` if it breaks one. */
export function recordOf(input: RecordInput, zone: string): ZoneRecord {
  const type = input.type.toUpperCase()
  if (!isKnown(type)) throw new ZoneError('type', `must be one of ${recordTypes.join(', ')}`)
  const rule = rules[type]
  return checked(type, rule, unpacked(rule, { ...input, value: pastedData(type, input.value) }), zone)
}

/** A value that is all of the record's data, as in a zone file, unless other fields contradict it. */
function unpacked({ data }: RecordRule, input: RecordInput): RecordInput {
  const { value, tag, ...numbers } = data?.exec(input.value.trim())?.groups ?? {}
  if (value === undefined) return input
  const fields = {
    ...Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)])),
    ...(tag && { tag: tag.toLowerCase() }),
  }
  const contradicts = Object.entries(fields).some(([name, field]) => {
    const own = input[name as Extra]
    return own !== undefined && (typeof own === 'string' ? own.toLowerCase() : own) !== field
  })
  return contradicts ? input : { ...input, ...fields, value }
}

function checked(type: RecordType, rule: RecordRule, input: RecordInput, zone: string): ZoneRecord {
  const name = ownerOf(input.name, zone)
  rule.owner?.(name)
  const more = extrasOf(input, type, rule)
  const value = rule.value(input.value, zone, { ...input, ...more })
  return { name, type, value, ...more, ...ttlOf(input.ttl) }
}

export const minTtl = 60
export const maxTtl = 86_400

/** A TTL that is served: files of other hosts have any (RFC 2181, 8). */
export const servedTtl = (ttl: number | null | undefined): number | undefined =>
  ttl === undefined || ttl === null ? undefined : Math.min(Math.max(ttl, minTtl), maxTtl)

function ttlOf(ttl: number | null | undefined): { ttl?: number } {
  if (ttl === undefined || ttl === null) return {}
  if (!Number.isInteger(ttl) || ttl < minTtl || ttl > maxTtl)
    throw new ZoneError('ttl', `must be a whole number from ${minTtl} to ${maxTtl}`)
  return { ttl }
}

const FIELD_CHECKS: Readonly<Record<Extra, (value: unknown) => string | undefined>> = {
  priority: uint16Problem,
  weight: uint16Problem,
  port: uint16Problem,
  flags: (value) => (value === 0 || value === 128 ? undefined : 'must be 0 or 128'),
  tag: (value) =>
    /^[a-z0-9]{1,15}$/.test(value as string)
      ? undefined
      : 'must be 1 to 15 letters and digits, such as issue, issuewild, iodef or issuemail',
}

function uint16Problem(value: unknown): string | undefined {
  const fits = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535
  return fits ? undefined : 'must be a whole number from 0 to 65535'
}

function extrasOf(input: RecordInput, type: RecordType, rule: RecordRule): Partial<ZoneRecord> {
  const found: Record<string, unknown> = {}
  for (const field of extras) {
    const taken = rule.extras !== undefined && field in rule.extras
    if (!taken && input[field] !== undefined) throw new ZoneError(field, `is not a field of ${type}; leave it out`)
    if (taken) found[field] = extraOf(field, input[field] ?? rule.extras?.[field], type)
  }
  return found
}

function extraOf(field: Extra, input: unknown, type: RecordType): unknown {
  const value = field === 'tag' && typeof input === 'string' ? input.trim().toLowerCase() : input
  if (value === undefined) throw new ZoneError(field, `is required for ${type}`)
  const problem = FIELD_CHECKS[field](value)
  if (problem) throw new ZoneError(field, problem)
  return value
}
