import type { RecordData, RecordType } from './record.ts'

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

const host = (name: string): string => (name === '.' ? name : `${name}.`)

const asIs = ({ value }: RecordData) => value
const toHost = ({ value }: RecordData) => host(value)

const texts: Readonly<Record<RecordType, (data: RecordData) => string>> = {
  A: asIs,
  AAAA: asIs,
  CAA: ({ flags, tag, value }) => `${flags} ${tag} ${quoted(value)}`,
  CNAME: toHost,
  DS: asIs,
  MX: ({ priority, value }) => `${priority} ${host(value)}`,
  NS: toHost,
  PTR: toHost,
  SRV: ({ priority, weight, port, value }) => `${priority} ${weight} ${port} ${host(value)}`,
  SSHFP: asIs,
  TLSA: asIs,
  TXT: ({ value }) => quoted(value),
}

/** A record's data in zone file format. */
export const dataText = (data: RecordData): string => texts[data.type](data)
