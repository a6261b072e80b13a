import type { Db } from '../store/open.ts'
import { getSetting } from './settings.ts'

/** Whose share an account's work counts towards: its reseller's, or its own if root owns it. */
export const shareholder = (db: Db, account: string, owner = account): string =>
  owner === getSetting(db, 'root_id') ? account : owner
