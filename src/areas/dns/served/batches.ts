import type { ServedZones } from '../../../host/contract/driver.ts'
import type { ServedRow } from './tables.ts'

/** A node's outdated zones of an account, with the row that records them. */
export interface PendingZones extends ServedZones {
  readonly row: ServedRow
}

/** Per command, since a node reads and checks it whole. A single account may exceed this, as in its own changes. */
const MAX_BATCH_ACCOUNTS = 500
const MAX_BATCH_BYTES = 2 ** 22

/** Groups accounts into one command each. */
export function* batchesOf(all: Iterable<PendingZones>): Generator<PendingZones[]> {
  let batch: PendingZones[] = []
  let bytes = 0
  for (const one of all) {
    const size = Buffer.byteLength(JSON.stringify(one.zones))
    if (batch.length > 0 && (batch.length === MAX_BATCH_ACCOUNTS || bytes + size > MAX_BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(one)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
