import { ZoneError } from '../../src/areas/dns/error.ts'
import { type RecordInput, recordOf } from '../../src/areas/dns/rules.ts'
import { templateOf } from '../../src/areas/dns/template.ts'
import { findingsOf } from '../../src/areas/dns/validate-zone.ts'
import type { Authority, ZoneRecord } from '../../src/shared/zone/record.ts'

export const zone = 'bob.example'

export const authority: Authority = {
  name: zone,
  serial: 2026010101,
  ttl: 3600,
  refresh: 3600,
  retry: 900,
  expire: 1_209_600,
  minimum: 300,
  nameservers: ['ns1.host.example'],
}

export const made = (type: string, value: string, over: Partial<RecordInput> = {}): ZoneRecord =>
  recordOf({ name: 'x', type, value, ...over }, zone)

/** The invalid field and its error, or undefined. */
export function errorOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (!(error instanceof ZoneError)) throw error
    return `${error.code} ${error.field}: ${error.message}`
  }
}

export const template = (): ZoneRecord[] =>
  templateOf({
    zone,
    addresses: ['192.0.2.7'],
    hostname: 'host.example',
    nameservers: ['ns1.host.example'],
    subs: [],
    zones: [],
  })

/** Validates a zone with new records in it. */
export function check(there: readonly ZoneRecord[], added: readonly ZoneRecord[]): string[] {
  const changed = new Set(added)
  return findingsOf(authority, [...there, ...added], changed).map(
    ({ record, error }) => `${error.code} ${record.name} ${record.type} ${error.field}`,
  )
}
