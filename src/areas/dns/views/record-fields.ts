import { createDnsRecord } from '../../../contract/dns.ts'
import { lookupOwn } from '../../../web/kit/lookup.ts'
import type { Answered } from '../../../web/kit/screen.ts'

/** What a record says, as texts: of its fields those that it has. */
export type RecordFields = Readonly<Record<string, string>>

const extras: Readonly<Record<string, readonly string[]>> = {
  MX: ['priority'],
  SRV: ['priority', 'weight', 'port'],
  CAA: ['flags', 'tag'],
  HTTPS: ['priority'],
  SVCB: ['priority'],
  URI: ['priority', 'weight'],
}

export const types: readonly string[] = createDnsRecord.body.shape.type.options

/** The fields that a record of a type has besides name, type, value and TTL. */
export const extrasOf = (type: string): readonly string[] => lookupOwn(extras, type) ?? []

/** What a record of a type is asked for. */
export const fieldNamesOf = ({ type }: { readonly type: string }): readonly string[] => [
  'name',
  ...extrasOf(type),
  'value',
  'ttl',
]

export const fields = ['name', 'type', 'ttl', 'value', 'priority', 'weight', 'port', 'flags', 'tag'] as const

export const fieldsOf = (record: Answered): RecordFields =>
  Object.fromEntries(fields.flatMap((name) => (record[name] === undefined ? [] : [[name, String(record[name])]])))

/** What differs; a TTL that is taken away is an empty one. */
export function changeOf(was: RecordFields, now: RecordFields): RecordFields {
  const names = [...new Set([...Object.keys(was), ...Object.keys(now)])].filter((name) => name !== 'type')
  return Object.fromEntries(
    names.filter((name) => (was[name] ?? '') !== (now[name] ?? '')).map((name) => [name, now[name] ?? '']),
  )
}

/** The data of a record as a zone file has it, without its escapes. */
export const dataOf = (output: RecordFields): string =>
  [...extrasOf(output['type'] ?? ''), 'value']
    .map((name) => output[name] ?? '')
    .join(' ')
    .trim()
