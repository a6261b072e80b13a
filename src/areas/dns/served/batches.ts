import type { ServedZones } from '../../../host/driver.ts'
import type { ServedRow } from './tables.ts'

/** Zones to tell of, and what they are owed by. */
export interface Owed extends ServedZones {
  readonly row: ServedRow
}

/** Of one command: a node reads and checks it whole. One account may be larger by itself, as in its own changes. */
const mostAccounts = 500
const mostBytes = 2 ** 22

/** Puts accounts together that one command tells of. */
export function* batchesOf(all: Iterable<Owed>): Generator<Owed[]> {
  let batch: Owed[] = []
  let bytes = 0
  for (const one of all) {
    const size = Buffer.byteLength(JSON.stringify(one.zones))
    if (batch.length > 0 && (batch.length === mostAccounts || bytes + size > mostBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(one)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
