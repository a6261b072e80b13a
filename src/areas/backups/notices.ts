import { eq, sql } from 'drizzle-orm'
import { type Notices, noticeRowsOf } from '../accounts/objects/notice.ts'
import { accounts } from '../accounts/tables.ts'
import { backups } from './tables.ts'

const faulty = {
  kind: 'backup-damaged',
  id: backups.id,
  account: backups.account_id,
  since: backups.checked_at,
} as const

const damaged = noticeRowsOf(
  faulty,
  (db) =>
    db.select({ backup: backups }).from(backups).innerJoin(accounts, eq(accounts.id, backups.account_id)).$dynamic(),
  sql`${backups.status} = 'damaged'`,
)

/** Backups that a check or a trial found damaged. Failed ones are reported by their job. */
export const damagedBackups: Notices = ({ db }, scope) =>
  damaged(db, scope).map(({ backup }) => ({
    kind: faulty.kind,
    severity: 'error',
    object: 'backup',
    object_id: backup.id,
    name: new Date(backup.created_at).toISOString(),
    detail: `The backup is damaged: ${backup.damage ?? 'what was checked is not as it was saved.'}`,
    since: backup.checked_at!,
    operation: 'createBackup',
    account_id: backup.account_id,
  }))
