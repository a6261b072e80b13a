import { eq } from 'drizzle-orm'
import type { JobStep } from '../../../contract/jobs.ts'
import { type Deployed, type DeployOrder, deployShares } from '../../../host/driver.ts'
import { cancelled } from '../../../runtime/attempt.ts'
import type { Context } from '../../../runtime/context.ts'
import { BULK_SILENCE_LIMIT_MS, JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/kind.ts'
import { type JobRow, jobs } from '../../../runtime/tables.ts'
import { type Host, watching } from '../../accounts/apply.ts'
import { accountById } from '../../accounts/store.ts'
import { measureAfter } from '../../files/room.ts'
import { secretsOf } from '../env/store.ts'
import { goLive } from '../releases/live.ts'
import { releaseById, setRelease } from '../releases/store.ts'
import { appById, setApp } from '../store.ts'
import type { AppRow, ReleaseRow } from '../tables.ts'
import { deployKinds, isPastSwitch, releaseIdOf } from '../under-way.ts'
import { bring, dropCandidate, final, keepStatus, type Reach, settleApp } from './host.ts'
import { orderOf } from './order.ts'
import { takeUpload } from './upload.ts'

function standing({ runtime: { store } }: Host, { row }: RunningJob): { app: AppRow; release: ReleaseRow } {
  const app = appById(store.db, row.object_id!)
  const release = releaseById(store.db, releaseIdOf(row))
  if (!app || !release) throw new JobError('The app no longer exists.', true)
  return { app, release }
}

/** Builds the release beside the live one, switches to it, and stops the old one. */
async function deploy(reach: Reach, job: RunningJob): Promise<Settle> {
  // After a crash past the switch, do not rebuild.
  if (!isPastSwitch(reach.runtime, job.row))
    await bringLive(reach, job).finally(() => measureAfter(reach.runtime, job.row.account_id!, job.signal))
  await bring(reach, job)
  job.step('finish')
  const status = await settleApp(reach, job)
  await takeUpload(reach, job.row)
  return (ctx) => {
    keepStatus(ctx, status)
    setApp(ctx, job.row.object_id!, { deploying_release_id: null })
    ctx.afterCommit(() => ctx.runtime.signals.emit('appChange'))
  }
}

async function bringLive(reach: Reach, job: RunningJob): Promise<void> {
  const { store } = reach.runtime
  const made = await build(reach, job, await orderOf(reach, job, standing(reach, job)))
  for (const line of made.warnings) job.log(line, 'warn')
  job.step('switch')
  try {
    await store.change(() => switchTo(reach, job, made))
  } catch (error) {
    await dropCandidate(reach, job)
    throw error
  }
}

const made = ['fetch', 'install', 'build', 'check'] as const

/** Maps the host's progress to a step. */
const stepAt = (done: number): JobStep => made.findLast((step) => done >= deployShares[step]) ?? 'fetch'

async function build({ runtime: { store }, client }: Reach, job: RunningJob, order: DeployOrder): Promise<Deployed> {
  const id = releaseIdOf(job.row)
  let told: ReleaseRow['status'] = 'queued'
  const tell = async (status: 'building' | 'checking'): Promise<void> => {
    if (told === status) return
    told = status
    await store.change(() => setRelease({ store }, id, { status }))
  }
  const isKept = order.source.kind === 'kept'
  job.step(isKept ? 'check' : 'fetch')
  await tell(isKept ? 'checking' : 'building')
  const { progress, ...watched } = watching(job)
  const hear = (line: string, done: number): void => {
    job.step(stepAt(done))
    progress!(line, done)
    if (done >= deployShares.check) void tell('checking').catch(() => {})
  }
  return final(client.deployApp(order, { ...watched, progress: hear }))
}

/** Re-reads account and app: from here on the release is live, whatever happens. Inside a change. */
function switchTo({ runtime }: Reach, job: RunningJob, made: Deployed): void {
  const { store, clock } = runtime
  const account = accountById(store.db, job.row.account_id!)
  const app = appById(store.db, job.row.object_id!)
  const release = releaseById(store.db, releaseIdOf(job.row))
  if (wasCancelled(runtime, job.row)) throw cancelled
  if (!account || account.terminating || !app || app.status === 'deleting' || !release)
    throw new JobError('The app is being deleted.', true)
  if (account.suspended_at !== null) throw new JobError(`${account.username} is suspended.`, true)
  goLive({ store, db: store.db, now: clock.now() }, app, release, made)
}

function wasCancelled({ store }: Reach['runtime'], { id }: JobRow): boolean {
  const row = store.db.select({ asked: jobs.cancel_requested }).from(jobs).where(eq(jobs.id, id)).get()
  return row?.asked ?? false
}

/** Ends a release that did not go live; one that was live before keeps its status. */
function endRelease({ store }: Pick<Context, 'store'>, job: JobRow, status: 'failed' | 'cancelled'): void {
  const release = releaseById(store.db, releaseIdOf(job))
  setApp({ store }, job.object_id!, { deploying_release_id: null })
  if (!release || release.status === 'live') return
  if (release.activated_at !== null) return setRelease({ store }, release.id, { status: 'superseded' })
  const error = store.db.select({ error: jobs.error }).from(jobs).where(eq(jobs.id, job.id)).get()?.error ?? null
  setRelease({ store }, release.id, { status, ...(status === 'failed' && { error }) })
}

/** Kinds of job that make a release live. */
export const deployJobs = (reach: Reach): JobKind[] =>
  deployKinds.map((kind) => ({
    kind,
    silenceLimitMs: BULK_SILENCE_LIMIT_MS,
    again: 'deployApp',
    steps: [...made, 'switch', 'finish'],
    cancellable: true,
    isTooLate: (job) => isPastSwitch(reach.runtime, job),
    exists: ({ object_id }) => appById(reach.runtime.store.db, object_id!) !== undefined,
    secrets: ({ object_id }) => secretsOf(reach.runtime, reach.runtime.store.db, object_id!),
    run: (job) => deploy(reach, job),
    undo: (job) => takeUpload(reach, job),
    failed: (ctx, job) => endRelease(ctx, job, 'failed'),
    cancelled: (runtime, job) => endRelease(runtime, job, 'cancelled'),
  }))
