import type { Context } from '../../runtime/operations/context.ts'
import { accountById } from '../accounts/store.ts'
import { beginDelete } from './change.ts'
import { isDownloaded } from './downloads.ts'
import { planOf } from './plan.ts'
import { completeOf, expired, jobAbout } from './store.ts'
import type { BackupRow } from './tables.ts'

type Deleting = Pick<Context, 'store' | 'db' | 'enqueue' | 'runtime'>

const inUse = ({ runtime }: Deleting, { id }: BackupRow): boolean =>
  isDownloaded(runtime, id) || jobAbout(runtime, id, ['backup.account', 'backup.check', 'backup.restore']) !== undefined

/** Deletes an account's scheduled backups beyond its plan; never the newest complete one. */
export function keepNewest(ctx: Deleting, accountId: string): void {
  const account = accountById(ctx.db, accountId)
  if (!account) return
  const complete = completeOf(ctx.db, accountId)
  const scheduled = complete.filter(({ kind }) => kind === 'scheduled')
  for (const backup of scheduled.slice(planOf(ctx.db, account).keep))
    if (backup.id !== complete[0]!.id && !inUse(ctx, backup)) beginDelete(ctx, backup)
}

const isLast = ({ db }: Deleting, { id, account_id }: BackupRow): boolean =>
  accountById(db, account_id) !== undefined && completeOf(db, account_id)[0]?.id === id

/** Deletes expired backups; never an existing account's newest complete one. */
export function deleteExpired(ctx: Deleting, now: number, limit: number): void {
  for (const backup of expired(ctx.db, now, limit))
    if (!inUse(ctx, backup) && !isLast(ctx, backup)) beginDelete(ctx, backup)
}
