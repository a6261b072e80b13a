import { FIRST_ACCOUNT_UID } from '../../shared/account-uids.ts'
import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'
import { purpose } from './trust/keys.ts'

const uids = 1000

/** User ids assigned after a backup must not be reused: files may still belong to them. */
const restore = `
  INSERT INTO settings (name, value) SELECT 'next_uid', ${FIRST_ACCOUNT_UID} + ${uids} * jumps()
    WHERE NOT EXISTS (SELECT 1 FROM nodes)
    ON CONFLICT (name) DO UPDATE SET value = value + ${uids} * jumps();
  UPDATE nodes SET next_uid = next_uid + ${uids} * jumps();`

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['nodes'],
  restore: [restore],
  sealed: [{ table: 'fleet_keys', column: 'private_key', purpose }],
}
