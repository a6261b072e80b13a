import type { HostOptions } from '../../host/contract/client.ts'
import type { BackupRequest } from '../../host/contract/driver.ts'
import {
  BULK_SILENCE_LIMIT_MS,
  JobError,
  type JobKind,
  type RunningJob,
  type Settle,
} from '../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { day } from '../../shared/time.ts'
import { type Host, watching } from '../accounts/jobs/apply.ts'
import { accountById } from '../accounts/store.ts'
import { chosenVersions } from '../domains/php.ts'
import { placeOf } from './destinations/host-destination.ts'
import { keepNewest } from './retention.ts'
import { orderOf, problemOf, resultsOf } from './save.ts'
import { secretsFor } from './secrets.ts'
import { backupById, removeBackup, setBackup } from './store.ts'
import type { BackupRow } from './tables.ts'
import { digestOf } from './texts.ts'
import { damagedAs } from './trials.ts'

/** Incomplete backups are kept for a while: part of one may be useful. */
const keepsIncomplete = 3 * day

const backupOf = ({ store }: Runtime, { object_id }: JobRow): BackupRow | undefined => backupById(store.db, object_id!)

function unfinished(runtime: Runtime, row: JobRow): BackupRow {
  const backup = backupOf(runtime, row)
  if (!backup) throw new JobError('The backup no longer exists.', true)
  return backup
}

/** Makes a backup and returns what to write. An incomplete one is recorded as such before the job fails. */
export async function makeBackup({ runtime, client }: Host, job: RunningJob, backup: BackupRow): Promise<Settle> {
  const { store, clock } = runtime
  const account = accountById(store.db, backup.account_id)
  if (!account) throw new JobError('The account no longer exists.', true)
  const order = orderOf(runtime, backup, account, await secretsFor(runtime, backup))
  const php_versions = chosenVersions(store.db, account.id)
  const saved = await client.backup(order, savingBy(job, order.parts))
  // It was completed before the cancellation arrived.
  if (job.signal.aborted) await client.removeBackup({ place: order.place })
  job.signal.throwIfAborted()
  const parts = resultsOf(backup, saved)
  for (const { part, warnings } of saved.parts) for (const line of warnings ?? []) job.log(`${part}: ${line}`, 'warn')
  const made = {
    ...{ parts, size_bytes: saved.sizeBytes, php_versions },
    ...{ manifest_sha256: saved.manifestSha256, texts_sha256: digestOf(order.texts) },
  }
  const problem = problemOf(parts)
  if (problem === undefined)
    return (ctx) => setBackup(ctx, backup.id, { ...made, status: 'complete', finished_at: ctx.now, expires_at: null })
  const expires_at = clock.now() + keepsIncomplete
  await store.change(() =>
    setBackup({ store }, backup.id, { ...made, status: 'incomplete', finished_at: clock.now(), expires_at }),
  )
  throw new JobError(problem, true)
}

/** The host reports each saved part, in order; parts made from rows come last. */
function savingBy(job: RunningJob, parts: BackupRequest['parts']): HostOptions {
  const { progress, ...watched } = watching(job)
  const at = (place: number) => job.step(parts[place] ?? 'config')
  at(0)
  return {
    ...watched,
    progress(line, done) {
      progress!(line, done)
      const saved = parts.findIndex((part) => line.startsWith(`${part}:`))
      if (saved >= 0) at(saved + 1)
    },
  }
}

/** Records a backup that failed entirely. */
export function giveUp({ store, clock }: Pick<Runtime, 'store' | 'clock'>, id: string): void {
  const now = clock.now()
  if (backupById(store.db, id)?.status !== 'running') return
  setBackup({ store }, id, { status: 'failed', finished_at: now, expires_at: now + keepsIncomplete })
}

async function make(host: Host, job: RunningJob): Promise<Settle> {
  const backup = unfinished(host.runtime, job.row)
  const settle = await makeBackup(host, job, backup)
  return (ctx) => {
    settle(ctx)
    keepNewest(ctx, backup.account_id)
  }
}

async function check({ runtime, client }: Host, job: RunningJob): Promise<Settle> {
  const backup = unfinished(runtime, job.row)
  const saved = backup.parts.flatMap(({ part, status }) => (status === 'ok' ? part : []))
  const isComplete = problemOf(backup.parts) === undefined
  const order = {
    place: placeOf(runtime, backup),
    manifestSha256: backup.manifest_sha256!,
    ...(!isComplete && { parts: saved }),
  }
  const { damage } = await client.checkBackup(order, watching(job))
  for (const line of damage) job.log(line, 'error')
  return (ctx) => setBackup(ctx, backup.id, checkedAs(backup, damage, ctx.now))
}

/** A check finds only what has changed: a backup that could not be restored for trial stays damaged. */
function checkedAs(
  { status, parts, tried_at, checked_at }: BackupRow,
  damage: readonly string[],
  now: number,
): Partial<BackupRow> {
  if (damage.length > 0) return damagedAs(damage, now)
  if (status === 'damaged' && checked_at === tried_at) return {}
  return { status: problemOf(parts) === undefined ? 'complete' : 'incomplete', checked_at: now, damage: null }
}

async function remove({ runtime, client }: Host, job: RunningJob): Promise<Settle> {
  const backup = unfinished(runtime, job.row)
  await client.removeBackup({ place: placeOf(runtime, backup) }, watching(job))
  return (ctx) => removeBackup(ctx, backup.id)
}

/** Kinds of jobs about one backup. */
export function backupJobs(host: Host): JobKind[] {
  const exists = (job: JobRow) => backupOf(host.runtime, job) !== undefined
  return [
    {
      kind: 'backup.account',
      silenceLimitMs: BULK_SILENCE_LIMIT_MS,
      failure: 'backup-failed',
      again: 'createBackup',
      resolves: 'account',
      steps: ['files', 'mail', 'mysql', 'config'],
      cancellable: true,
      exists,
      run: (job) => make(host, job),
      failed: ({ runtime }, { object_id }) => giveUp(runtime, object_id!),
      cancelled: (runtime, { object_id }) => giveUp(runtime, object_id!),
    },
    {
      kind: 'backup.check',
      silenceLimitMs: BULK_SILENCE_LIMIT_MS,
      cancellable: true,
      exists,
      run: (job) => check(host, job),
    },
    {
      kind: 'backup.delete',
      silenceLimitMs: BULK_SILENCE_LIMIT_MS,
      maxAttempts: 5,
      exists,
      run: (job) => remove(host, job),
    },
  ]
}
