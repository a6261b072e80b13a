import { and, eq, isNull } from 'drizzle-orm'
import { stopJob } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { day } from '../../shared/time.ts'
import type { AccountPart } from '../accounts/objects/part.ts'
import type { FullAccount } from '../accounts/store.ts'
import { takeFinal } from './final.ts'
import { damagedBackups } from './notices.ts'
import { activeJobs } from './store.ts'
import { backups } from './tables.ts'

/** Without a final backup, an account's existing backups are kept this long after its end. */
const RETENTION_DAYS = 30

/** Stops running jobs. The account's backups can be restored as another account for a while. */
function end(ctx: Context, { id }: FullAccount): void {
  for (const job of activeJobs(ctx.runtime, id, [
    'backup.account',
    'backup.check',
    'backup.restore',
    'backup.trial',
    'backup.index',
  ]))
    stopJob(ctx.runtime, job)
  const expires_at = ctx.now + (getSetting(ctx.db, 'final_backup_days') || RETENTION_DAYS) * day
  ctx.db
    .update(backups)
    .set({ expires_at })
    .where(and(eq(backups.account_id, id), isNull(backups.expires_at)))
    .run()
}

/** Ends the restore into an account that could not be created. */
function forgotten(ctx: Context, account: string): void {
  for (const job of activeJobs(ctx.runtime, account, ['backup.restore'])) stopJob(ctx.runtime, job)
}

export const ofAccount = { notices: damagedBackups, end, forgotten, leaving: takeFinal } satisfies AccountPart
