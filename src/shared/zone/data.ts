import type { RecordData, RecordType } from './record.ts'
import { stringsOf } from './strings.ts'

const MAX_STRING_LENGTH = 255

const special = /[^ !#-[\]-~]/g

const escaped = (byte: string): string =>
  byte === '"' || byte === '\\' ? `\\${byte}` : `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`

/** A text as quoted strings of at most 255 bytes each. */
export function quoted(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  const strings: string[] = []
  for (let start = 0; start === 0 || start < bytes.length; start += MAX_STRING_LENGTH)
    strings.push(`"${bytes.slice(start, start + MAX_STRING_LENGTH).replace(special, escaped)}"`)
  return strings.join(' ')
}

/** A text as it is in a zone: the strings of one that must not be joined are quoted each. */
const textData = (value: string): string => (stringsOf(value) ?? [value]).map(quoted).join(' ')

const host = (name: string): string => (name === '.' ? name : `${name}.`)

const asIs = ({ value }: RecordData) => value
const service = ({ priority, value }: RecordData) => `${priority} ${value}`
const toHost = ({ value }: RecordData) => host(value)

const texts: Readonly<Record<RecordType, (data: RecordData) => string>> = {
  A: asIs,
  AAAA: asIs,
  CAA: ({ flags, tag, value }) => `${flags} ${tag} ${quoted(value)}`,
  CNAME: toHost,
  DNAME: toHost,
  DS: asIs,
  HTTPS: service,
  LOC: asIs,
  MX: ({ priority, value }) => `${priority} ${host(value)}`,
  NAPTR: asIs,
  NS: toHost,
  OPENPGPKEY: asIs,
  PTR: toHost,
  SMIMEA: asIs,
  SRV: ({ priority, weight, port, value }) => `${priority} ${weight} ${port} ${host(value)}`,
  SSHFP: asIs,
  SVCB: service,
  TLSA: asIs,
  TXT: ({ value }) => textData(value),
  URI: ({ priority, weight, value }) => `${priority} ${weight} ${quoted(value)}`,
}

/** A record's data in zone file format. */
export const dataText = (data: RecordData): string => texts[data.type](data)
