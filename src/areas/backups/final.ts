import { and, eq } from 'drizzle-orm'
import type { HostClient } from '../../host/contract/client.ts'
import { JobError, type RunningJob } from '../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { day } from '../../shared/time.ts'
import { type FullAccount, nameOf } from '../accounts/store.ts'
import { quietContext } from './context.ts'
import { newBackup, partsIn } from './create.ts'
import { defaultDestination } from './destinations/store.ts'
import { makeBackup } from './jobs.ts'
import { addBackup, setBackup } from './store.ts'
import { type BackupRow, backups } from './tables.ts'

/**
 * Makes a full backup before an account is removed from the host, if the server keeps final backups. The removal fails
 * without it.
 */
export async function takeFinal(
  runtime: Runtime,
  client: HostClient,
  account: FullAccount,
  job: RunningJob,
): Promise<void> {
  const { store } = runtime
  const days = getSetting(store.db, 'final_backup_days') ?? 0
  if (days === 0 || job.row.payload['final_backup'] === 'false') return
  job.step('backup')
  const backup = finalOf(runtime, job) ?? (await newFinal(runtime, account, job))
  if (backup.status === 'complete') return
  const settle = await makeBackup({ runtime, client }, job, backup).catch((error: unknown) => {
    throw error instanceof JobError ? new JobError(`${error.message} ${remedyFor(account)}`) : error
  })
  const ctx = quietContext(runtime, job.row)
  await store.change(() => {
    settle(ctx)
    setBackup(ctx, backup.id, { expires_at: ctx.now + days * day })
  })
}

const remedyFor = ({ username }: FullAccount): string =>
  `To terminate ${username} without a final backup: panel accounts terminate ${username} --no-final-backup`

const finalOf = ({ store }: Runtime, { row }: RunningJob): BackupRow | undefined =>
  store.db
    .select()
    .from(backups)
    .where(and(eq(backups.job_id, row.id), eq(backups.kind, 'final')))
    .get()

async function newFinal(runtime: Runtime, account: FullAccount, { row }: RunningJob): Promise<BackupRow> {
  const { store, clock } = runtime
  const destination_id = defaultDestination(store.db).id
  const made = { kind: 'final', wanted: partsIn(undefined), destination_id, note: '', job_id: row.id } as const
  const backup = newBackup(nameOf(account), { ...made, id: runtime.id(), created_at: clock.now() })
  await store.change(() => addBackup({ store }, backup))
  return backup
}
