import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'
import { purpose as ofPeers } from './peers/primary.ts'
import { purpose } from './signing.ts'

/** Serials are dates and two digits, so this is one day. */
const SERIAL_GAP = 100

/** Serials served after a backup must not be reused for other content. */
const restore = ['dns_zones', 'dns_past_serials', 'dns_catalogs'].map(
  (table) => `UPDATE ${table} SET serial = serial + ${SERIAL_GAP} * jumps();`,
)

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['dns_zones', 'dns_records'],
  restore: [...restore, 'UPDATE dns_served SET due = abs(due) + 1;', 'UPDATE dns_peers SET told = NULL;'],
  counts: { zones: 'SELECT count(*) FROM dns_zones' },
  sealed: [
    { table: 'dns_zones', column: 'private_key', purpose },
    { table: 'dns_peers', column: 'secret', purpose: ofPeers },
  ],
}
