import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations/index.ts'

/** Serials are dates and two digits: one day. */
const serials = 100

/** What was given out after a backup is not given out again. */
const restore = `
  UPDATE accounts SET zone_serial = zone_serial + ${serials} * jumps();`

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['accounts'],
  restore: [restore],
  counts: { accounts: 'SELECT count(*) FROM accounts' },
}
