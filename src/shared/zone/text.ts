import { dataText, quoted } from './data.ts'
import type { Authority, ZoneRecord } from './record.ts'

/** A TXT value that proves control of a name to a certificate authority. */
export interface Challenge {
  readonly name: string
  readonly value: string
}

const challengeTtl = 60

function headOf({ name, nameservers, ttl, ...soa }: Authority): string[] {
  const times = [soa.serial, soa.refresh, soa.retry, soa.expire, soa.minimum].join(' ')
  return [
    `$ORIGIN ${name}.`,
    `$TTL ${ttl}`,
    `@ IN SOA ${nameservers[0]}. hostmaster.${name}. ${times}`,
    ...nameservers.map((server) => `@ IN NS ${server}.`),
  ]
}

interface TextLine {
  readonly record: ZoneRecord
  readonly data: string
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** `@` sorts first, as the empty name. */
const sortName = (name: string): string => (name === '@' ? '' : name)

const inOrder = (a: TextLine, b: TextLine): number =>
  compare(sortName(a.record.name), sortName(b.record.name)) ||
  compare(a.record.type, b.record.type) ||
  compare(a.data, b.data)

const lineOf = (name: string, ttl: number | undefined, zoneTtl: number, data: string): string =>
  `${name}${ttl === undefined || ttl === zoneTtl ? '' : ` ${ttl}`} IN ${data}`

/** The lines of a zone's file. */
export function zoneLines(
  zone: Authority,
  records: readonly ZoneRecord[],
  challenges: readonly Challenge[] = [],
): string[] {
  const lines = records.map((record) => ({ record, data: dataText(record) })).sort(inOrder)
  return [
    ...headOf(zone),
    ...lines.map(({ record, data }) => lineOf(record.name, record.ttl, zone.ttl, `${record.type} ${data}`)),
    ...challenges.map(({ name, value }) => lineOf(name, challengeTtl, zone.ttl, `TXT ${quoted(value)}`)),
  ]
}
