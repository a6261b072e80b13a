import type { Context } from '../../runtime/operations/context.ts'
import { accountById } from '../accounts/store.ts'
import { beginDelete } from './change.ts'
import { isDownloaded } from './downloads.ts'
import { planOf } from './plan.ts'
import { completeOf, expired, jobAbout, scheduledOf } from './store.ts'
import type { BackupRow } from './tables.ts'

type Deleting = Pick<Context, 'store' | 'db' | 'enqueue' | 'runtime'>

const inUse = ({ runtime }: Deleting, { id }: BackupRow): boolean =>
  isDownloaded(runtime, id) ||
  jobAbout(runtime, id, ['backup.account', 'backup.check', 'backup.restore', 'backup.trial', 'backup.index']) !==
    undefined

/**
 * Deletes an account's scheduled backups beyond its plan, the damaged ones counted by themselves; never the newest
 * complete one.
 */
export function keepNewest(ctx: Deleting, accountId: string): void {
  const account = accountById(ctx.db, accountId)
  if (!account) return
  const { keep } = planOf(ctx.db, account)
  const [newest] = completeOf(ctx.db, accountId)
  for (const status of ['complete', 'damaged'] as const)
    for (const backup of scheduledOf(ctx.db, accountId, status).slice(keep))
      if (backup.id !== newest?.id && !inUse(ctx, backup)) beginDelete(ctx, backup)
}

const isLast = ({ db }: Deleting, { id, account_id }: BackupRow): boolean =>
  accountById(db, account_id) !== undefined && completeOf(db, account_id)[0]?.id === id

/** Deletes expired backups; never an existing account's newest complete one. */
export function deleteExpired(ctx: Deleting, now: number, limit: number): void {
  for (const backup of expired(ctx.db, now, limit))
    if (!inUse(ctx, backup) && !isLast(ctx, backup)) beginDelete(ctx, backup)
}
