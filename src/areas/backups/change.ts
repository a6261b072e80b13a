import type * as declared from '../../contract/backups.ts'
import { Problem } from '../../contract/problem.ts'
import { cancel } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { findJob } from '../jobs/store.ts'
import { isDownloaded } from './downloads.ts'
import { accountOf, backupById, jobAbout, laneOf, setBackup, toBackup } from './store.ts'
import type { BackupRow } from './tables.ts'

const reading = ['backup.account', 'backup.check', 'backup.restore'] as const

const enqueue = (ctx: Context, kind: string, { id, ...row }: BackupRow): string =>
  ctx.enqueue({ kind, account: accountOf({ id, ...row }), object_id: id, lane: laneOf(row.account_id) })

const noteOf = (ctx: Context, { id, ...row }: BackupRow): void =>
  ctx.note({ account: accountOf({ id, ...row }), object_id: id })

export const deleteBackup: Handler<typeof declared.deleteBackup> = {
  handle(ctx) {
    const { backup } = ctx.found
    noteOf(ctx, backup)
    const running = jobAbout(ctx.runtime, backup.id, ['backup.delete'])
    if (running) return { backup: toBackup(backup), job_id: running.id }
    refuseWhileRead(ctx, backup, [...reading, 'backup.trial', 'backup.index'])
    if (isDownloaded(ctx.runtime, backup.id))
      throw new Problem('busy', 'The backup is being downloaded. Delete it when that is done.')
    return { job_id: beginDelete(ctx, backup), backup: toBackup(backupById(ctx.db, backup.id)!) }
  },
}

/** 409 `busy` while a backup is being made, checked or restored. */
export function refuseWhileRead(
  { runtime }: Context,
  { id, status }: BackupRow,
  kinds: readonly string[] = reading,
): void {
  const job = jobAbout(runtime, id, kinds)
  if (job) throw new Problem('busy', `The backup is in use by job ${job.id} (${job.kind}). Wait for it to end.`)
  if (status === 'running') throw new Problem('busy', 'The backup is being made. Wait for it to end.')
}

/** The row is deleted when the job has removed the backup's data. */
export function beginDelete(ctx: Pick<Context, 'store' | 'enqueue'>, backup: BackupRow): string {
  setBackup(ctx, backup.id, { status: 'deleting' })
  return enqueue(ctx as Context, 'backup.delete', backup)
}

export const checkBackup: Handler<typeof declared.checkBackup> = {
  handle(ctx) {
    const { backup } = ctx.found
    if (backup.status === 'deleting') throw new Problem('busy', 'The backup is being deleted.')
    if (backup.status === 'running') throw new Problem('busy', 'The backup is being made.')
    if (backup.manifest_sha256 === null)
      throw new Problem('incomplete', `The backup is ${backup.status}: there is nothing to check.`)
    noteOf(ctx, backup)
    return { job_id: enqueue(ctx, 'backup.check', backup), backup: toBackup(backup) }
  },
}

export const cancelBackup: Handler<typeof declared.cancelBackup> = {
  handle(ctx) {
    const { backup } = ctx.found
    if (backup.status !== 'running')
      throw new Problem('not-cancellable', `The backup is not being made: it is ${backup.status}.`)
    cancel(ctx.runtime, findJob(ctx, backup.job_id))
    noteOf(ctx, backup)
    return { backup: toBackup(backupById(ctx.db, backup.id)!), job_id: backup.job_id }
  },
}
