import { and, desc, eq, gt, gte, isNull } from 'drizzle-orm'
import { lowestIdAt, random } from '../../runtime/clock/ids.ts'
import {
  BULK_SILENCE_LIMIT_MS,
  JobError,
  type JobKind,
  type RunningJob,
  type Settle,
} from '../../runtime/jobs/job-kind.ts'
import { enqueue } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import { jobs } from '../../runtime/tables.ts'
import { day, hour } from '../../shared/time.ts'
import { type Host, watching } from '../accounts/jobs/apply.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { placeOf } from './destinations/host-destination.ts'
import { defaultHour, lastDue } from './due.ts'
import { accountOf, backupById, setBackup } from './store.ts'
import { backups } from './tables.ts'

/** A night's sample. */
const MAX_TRIALS_PER_NIGHT = 10
/** Of which the sample is taken. */
const MAX_CANDIDATES = 10_000
/** After the backups begin. */
const TRIALS_AFTER_HOURS = 3
/** A server that starts later leaves them to the next night. */
const TRIALS_WITHIN_MS = 6 * hour
const kind = 'backup.trial'

/** One at a time on each node: one that never ends holds up no other node's. */
const laneOf = (node: string): string => `trial:${node}`

/** Once each night, enqueues trials of a random sample of the last day's backups. */
export function enqueueTrials(runtime: Runtime): void {
  const { db } = runtime.store
  const now = runtime.clock.now()
  const at = ((getSetting(db, 'backup_hour') ?? defaultHour) + TRIALS_AFTER_HOURS) % 24
  const due = lastDue(now, at, 'daily')
  if (now - due > TRIALS_WITHIN_MS || wereEnqueued(runtime, due)) return
  for (const { backup, node } of sample(candidates(runtime, due), MAX_TRIALS_PER_NIGHT)) {
    const job = { kind, account: accountOf(backup), object_id: backup.id, lane: laneOf(node) }
    enqueue(runtime, job, systemActor(db), runtime.id())
  }
}

const wereEnqueued = ({ store: { db } }: Runtime, since: number): boolean =>
  db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.kind, kind), gte(jobs.id, lowestIdAt(since))))
    .limit(1)
    .get() !== undefined

/** The last day's complete backups, of accounts that exist. */
const candidates = ({ store: { db } }: Runtime, due: number) =>
  db
    .select({ backup: backups, node: accounts.node })
    .from(backups)
    .innerJoin(accounts, eq(accounts.id, backups.account_id))
    .where(
      and(
        eq(backups.status, 'complete'),
        gt(backups.finished_at, due - day),
        isNull(backups.tried_at),
        eq(accounts.terminating, false),
      ),
    )
    .orderBy(desc(backups.id))
    .limit(MAX_CANDIDATES)
    .all()

function sample<T>(items: readonly T[], count: number): T[] {
  const all = [...items]
  const chosen: T[] = []
  while (chosen.length < count && all.length > 0) chosen.push(...all.splice(Math.floor(random() * all.length), 1))
  return chosen
}

async function tryOne({ runtime, client }: Host, job: RunningJob): Promise<Settle | undefined> {
  const backup = backupById(runtime.store.db, job.row.object_id!)
  const account = backup && accountById(runtime.store.db, backup.account_id)
  if (!account) throw new JobError('The backup no longer exists.', true)
  if (backup.status !== 'complete') return undefined
  const trial = {
    place: placeOf(runtime, backup),
    manifestSha256: backup.manifest_sha256!,
    account: hostNameOf(account),
  }
  const { damage, tried, left } = await client.tryBackup(trial, watching(job))
  if (tried.length > 0) job.log(`restored for trial: ${tried.join(', ')}`)
  for (const line of left) job.log(line, 'warn')
  for (const line of damage) job.log(line, 'error')
  return (ctx) => setBackup(ctx, backup.id, { tried_at: ctx.now, ...(damage.length > 0 && damagedAs(damage, ctx.now)) })
}

const MAX_REASON_LENGTH = 1_000

/** What a backup becomes in which damage was found; the notice says the first of it. */
export const damagedAs = ([first = '', ...others]: readonly string[], now: number) => ({
  status: 'damaged' as const,
  checked_at: now,
  damage: `${first.slice(0, MAX_REASON_LENGTH)}${others.length > 0 ? ` (and ${others.length} more)` : ''}`,
})

/** Only a `complete` backup: others were deleted or found damaged since. */
export const trialJob = (host: Host): JobKind => ({
  kind,
  silenceLimitMs: BULK_SILENCE_LIMIT_MS,
  maxAttempts: 1,
  cancellable: true,
  exists: ({ object_id }) => backupById(host.runtime.store.db, object_id!) !== undefined,
  run: (job) => tryOne(host, job),
})
