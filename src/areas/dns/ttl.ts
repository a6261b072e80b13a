import type { ZoneRecord } from '../../shared/zone/record.ts'
import { setOf } from './zone-index.ts'

/** A TTL in a request: `undefined` takes that of the record set, `null` the zone's. */
export type GivenTtl = number | null | undefined

/** The record with the TTL of its record set, if it gives none or the same. */
export function withTtlOfRest<R extends ZoneRecord>(
  record: R,
  given: GivenTtl,
  rest: ReadonlyMap<string, ZoneRecord>,
  zoneTtl: number,
): R {
  const other = rest.get(setOf(record))
  if (!other || (given !== undefined && (given ?? zoneTtl) !== (other.ttl ?? zoneTtl))) return record
  const { ttl: _, ...bare } = record
  return (other.ttl === undefined ? bare : { ...bare, ttl: other.ttl }) as R
}
