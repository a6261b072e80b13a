import { isIPv4, isIPv6 } from 'node:net'
import { MAX_HOSTNAME_LENGTH } from '../../../shared/patterns.ts'
import { type RecordType, recordTypes, type ZoneRecord } from '../../../shared/zone/record.ts'
import { textOf } from '../../../shared/zone/strings.ts'
import type { Challenge } from '../../../shared/zone/text.ts'
import {
  checked,
  complete,
  depending,
  either,
  fields,
  listOf,
  objectOf,
  oneOf,
  optional,
  patterns,
  type Schema,
  text,
  that,
} from '../../contract/fields.ts'
import type { DnsState, ServedZones, ZoneKeyState, ZoneState } from './state.ts'

const label =
  '(?:[a-z0-9_/](?:[a-z0-9_/-]{0,61}[a-z0-9_/])?|(?=[A-Za-z0-9_/-]*\\\\)(?:[A-Za-z0-9_/-]|\\\\[0-9]{3}){1,252})'
const owner = new RegExp(`^(?:@|\\*|(?:\\*\\.)?(?:${label}\\.)*${label})$`)
const target = new RegExp(`^(?:${label}\\.)+${label}$`)
const digest = /^\d{1,5}(?: \d{1,5}){1,2} [0-9A-Fa-f]{2,8192}$/
const MAX_TEXT_LENGTH = 4096

const serial = complete(0, 2 ** 32 - 1)
const number16 = complete(0, 65_535)
const ttl = complete(1, 86_400)

const textThat = (is: (value: string) => boolean): Schema<string> =>
  that(
    (value) => typeof value === 'string' && is(value),
    'The {} is not valid, so nothing of it is written to the host.',
  )

const host = text(target, MAX_HOSTNAME_LENGTH)
const hostOrNone = either('.', host)
const noControls = textThat(
  (value) => value !== '' && Buffer.byteLength(textOf(value)) <= MAX_TEXT_LENGTH && !/\p{Cc}/u.test(value),
)
const numbers = text(digest, 8300)

interface CheckedData {
  readonly value: Schema<string>
  readonly [field: string]: Schema<unknown>
}

const rooted = `(?:\\.|(?:${label}\\.)+)`
/** A host and parameters: their texts are in quotes and have no escapes. */
const binding: CheckedData = {
  value: text(new RegExp(`^${rooted}(?: [a-z0-9-]{1,63}(?:="[ !#-\\[\\]-~]*")?)*$`), 16_384),
  priority: number16,
}
const string = '"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"'
const naptr = new RegExp(`^\\d{1,5} \\d{1,5} ${string} ${string} ${string} ${rooted}$`)

const data: Readonly<Record<RecordType, CheckedData>> = {
  A: { value: textThat(isIPv4) },
  AAAA: { value: textThat((value) => isIPv6(value) && !value.includes('%')) },
  CAA: { value: text(/^[ -~]+$/, 255), flags: either(0, complete(128, 128)), tag: text(/^[a-z0-9]{1,15}$/) },
  CNAME: { value: host },
  DNAME: { value: host },
  DS: { value: numbers },
  HTTPS: binding,
  LOC: { value: text(/^[0-9NSEWm. -]+$/, 100) },
  MX: { value: hostOrNone, priority: number16 },
  NAPTR: { value: text(naptr, 2048) },
  NS: { value: host },
  OPENPGPKEY: { value: text(/^[A-Za-z0-9+/]+={0,2}$/, 16_384) },
  PTR: { value: host },
  SMIMEA: { value: numbers },
  SRV: { value: hostOrNone, priority: number16, weight: number16, port: number16 },
  SSHFP: { value: numbers },
  SVCB: binding,
  TLSA: { value: numbers },
  TXT: { value: noControls },
  URI: { value: text(/^[!-~]+$/, 1100), priority: number16, weight: number16 },
}

const checksOf = Object.fromEntries(
  recordTypes.map((type) => [
    type,
    objectOf<ZoneRecord>(
      { type: oneOf(type), name: text(owner, MAX_HOSTNAME_LENGTH), ttl: optional(ttl), ...data[type] } as never,
      'a record',
    ),
  ]),
) as Readonly<Record<RecordType, Schema<ZoneRecord>>>

const ofNoType: Schema<ZoneRecord> = that(() => false, 'type of a record')
const record: Schema<ZoneRecord> = depending((value) => {
  const type = (value as Partial<ZoneRecord> | null | undefined)?.type
  return type && recordTypes.includes(type) ? checksOf[type] : ofNoType
})

const challenge = fields<Challenge>(
  { name: text(owner, MAX_HOSTNAME_LENGTH), value: text(/^[A-Za-z0-9_-]{1,255}$/, 255) },
  'a challenge',
)

const key = fields<ZoneKeyState>(
  {
    dnskey: text(/^257 3 13 [A-Za-z0-9+/]{86}==$/),
    keyTag: number16,
    privateKey: text(/^[A-Za-z0-9+/]{43}=$/),
    created: text(/^\d{14}$/),
  },
  'a key',
)

/** Refuses a zone that could be misinterpreted where it is written. */
export const checkZone = fields<ZoneState>(
  {
    name: text(patterns.domain, MAX_HOSTNAME_LENGTH),
    serial,
    ttl,
    refresh: serial,
    retry: serial,
    expire: serial,
    minimum: serial,
    nameservers: listOf(text(patterns.hostname, MAX_HOSTNAME_LENGTH), 16),
    records: listOf(record, 20_000),
    challenges: listOf(checked(challenge), 1000),
    dnssec: optional(checked(key)),
  },
  'a zone',
)

/** Refuses what could be misinterpreted in a zone file. */
export const checkDns = fields<DnsState>({ zones: listOf(checked(checkZone), 10_000) }, 'DNS')

export const checkServed = fields<ServedZones>(
  { id: text(patterns.id), zones: listOf(checked(checkZone), 10_000) },
  'zones of another host',
)
