import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'

/** Serials are dates and two digits, so this is one day. */
const SERIAL_GAP = 100

/** Numbers assigned after a backup are not reused. */
const restore = `
  UPDATE accounts SET zone_serial = zone_serial + ${SERIAL_GAP} * jumps();`

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['accounts'],
  restore: [restore],
  counts: { accounts: 'SELECT count(*) FROM accounts' },
}
