import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { pick } from '../../shared/pick.ts'
import { inHomeNow } from '../accounts/objects/former-home.ts'
import type { BackupPart, RestoredFrom } from '../accounts/objects/part.ts'
import type { FullAccount } from '../accounts/store.ts'
import { maxJobs } from './change.ts'
import { next } from './scheduler.ts'
import { addCronJob, countCronJobs, cronJobsOf, setCronJob } from './store.ts'
import type { CronJobRow } from './tables.ts'

const columns = ['schedule', 'command', 'mail', 'enabled', 'timeout_s', 'comment'] as const
type SavedJob = Pick<CronJobRow, (typeof columns)[number]>

/** A job is identified by its command and times. */
const isSame = (one: SavedJob, other: SavedJob): boolean =>
  one.schedule === other.schedule && one.command === other.command

function restoreOne(ctx: Context, account_id: string, saved: SavedJob): void {
  const there = cronJobsOf(ctx.db, account_id).find((one) => isSame(one, saved))
  const values = { ...saved, next_run_at: saved.enabled ? next(saved.schedule, ctx.now) : null, updated_at: ctx.now }
  if (there) return setCronJob(ctx, there.id, values)
  if (countCronJobs(ctx.db, account_id) >= maxJobs)
    throw new Problem('too-many', `The account has ${maxJobs} cron jobs, which is the most.`)
  addCronJob(ctx, { id: ctx.id(), account_id, ...values, applied: true, failing_since: null, created_at: ctx.now })
}

/** Keeps newer jobs and recreates missing ones. */
function restore(ctx: Context, { id, username }: FullAccount, { account, data }: RestoredFrom): readonly string[] {
  const changed: string[] = []
  for (const saved of (data as { jobs: readonly SavedJob[] }).jobs) {
    const command = inHomeNow(saved.command, account.username, username)
    restoreOne(ctx, id, { ...pick(saved, columns), command })
    if (command !== saved.command) changed.push(`cron: the former home was replaced in the command: ${command}`)
  }
  ctx.afterCommit(() => ctx.runtime.signals.emit('cronChange'))
  return changed
}

export const backup: BackupPart = {
  part: 'config',
  feature: 'cron',
  save: ({ store: { db } }, { id }) => ({ data: { jobs: cronJobsOf(db, id).map((row) => pick(row, columns)) } }),
  restore,
}
