import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations/index.ts'

const firstUid = 20_000
const uids = 1000
/** Serials are dates and two digits: one day. */
const serials = 100

/** What was given out after a backup is not given out again: user ids, under which files may lie, and serials of zones. */
const restore = `
  INSERT INTO settings (name, value) VALUES ('next_uid', ${firstUid} + ${uids} * jumps())
    ON CONFLICT (name) DO UPDATE SET value = value + ${uids} * jumps();
  UPDATE accounts SET zone_serial = zone_serial + ${serials} * jumps();`

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['accounts'],
  restore: [restore],
  counts: { accounts: 'SELECT count(*) FROM accounts' },
}
