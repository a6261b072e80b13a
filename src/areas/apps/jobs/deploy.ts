import { eq } from 'drizzle-orm'
import type { JobStep } from '../../../contract/jobs.ts'
import { type Deployed, type DeployRequest, deployShares } from '../../../host/contract/driver.ts'
import { cancelled } from '../../../runtime/jobs/attempt.ts'
import {
  BULK_SILENCE_LIMIT_MS,
  JobError,
  type JobKind,
  type RunningJob,
  type Settle,
} from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { type JobRow, jobs } from '../../../runtime/tables.ts'
import { type Host, watching } from '../../accounts/jobs/apply.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { accountById } from '../../accounts/store.ts'
import { measureAfter } from '../../files/quota.ts'
import { forgetUpload } from '../../files/uploads.ts'
import { deployKinds, isAfterSwitch, releaseIdOf } from '../active-deploys.ts'
import { secretsOf } from '../env/store.ts'
import { goLive } from '../releases/live.ts'
import { releaseById, setRelease } from '../releases/store.ts'
import { appById, setApp } from '../store.ts'
import type { AppRow, ReleaseRow } from '../tables.ts'
import { type AppJobHost, activate, dropCandidate, final, keepStatus, settleApp } from './host.ts'
import { orderOf } from './order.ts'

/** Removes an upload after its deploy, successful or not; bytes left on the host expire. */
async function takeUpload({ runtime: { store }, client }: AppJobHost, job: JobRow): Promise<void> {
  const id = releaseById(store.db, releaseIdOf(job))?.upload_id
  const account = accountById(store.db, job.account_id!)
  if (!id || !account || job.kind !== 'app.deploy') return
  await store.change(() => forgetUpload(store, id))
  await client
    .files(hostNameOf(account))
    .act('dropUpload', { id })
    .catch(() => {})
}

function current({ runtime: { store } }: Host, { row }: RunningJob): { app: AppRow; release: ReleaseRow } {
  const app = appById(store.db, row.object_id!)
  const release = releaseById(store.db, releaseIdOf(row))
  if (!app || !release) throw new JobError('The app no longer exists.', true)
  return { app, release }
}

/** Builds the release beside the live one, switches to it, and stops the old one. */
async function deploy(reach: AppJobHost, job: RunningJob): Promise<Settle> {
  // After a crash past the switch, do not rebuild.
  if (!isAfterSwitch(reach.runtime, job.row))
    await activateRelease(reach, job).finally(() => measureAfter(reach.runtime, job.row.account_id!, job.signal))
  await activate(reach, job)
  job.step('finish')
  const status = await settleApp(reach, job)
  await takeUpload(reach, job.row)
  return (ctx) => {
    keepStatus(ctx, status)
    setApp(ctx, job.row.object_id!, { deploying_release_id: null })
    ctx.afterCommit(() => ctx.runtime.signals.emit('appChange'))
  }
}

async function activateRelease(reach: AppJobHost, job: RunningJob): Promise<void> {
  const { store } = reach.runtime
  const made = await build(reach, job, await orderOf(reach, job, current(reach, job)))
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

async function build(
  { runtime: { store }, client }: AppJobHost,
  job: RunningJob,
  order: DeployRequest,
): Promise<Deployed> {
  const id = releaseIdOf(job.row)
  let reported: ReleaseRow['status'] = 'queued'
  const report = async (status: 'building' | 'checking'): Promise<void> => {
    if (reported === status) return
    reported = status
    await store.change(() => setRelease({ store }, id, { status }))
  }
  const isRetained = order.source.kind === 'retained'
  job.step(isRetained ? 'check' : 'fetch')
  await report(isRetained ? 'checking' : 'building')
  const { progress, ...watched } = watching(job)
  const hear = (line: string, done: number): void => {
    job.step(stepAt(done))
    progress!(line, done)
    if (done >= deployShares.check) void report('checking').catch(() => {})
  }
  return final(client.deployApp(order, { ...watched, progress: hear }))
}

/** Re-reads account and app: from here on the release is live, whatever happens. Inside a change. */
function switchTo({ runtime }: AppJobHost, job: RunningJob, made: Deployed): void {
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

function wasCancelled({ store }: AppJobHost['runtime'], { id }: JobRow): boolean {
  const row = store.db.select({ requested: jobs.cancel_requested }).from(jobs).where(eq(jobs.id, id)).get()
  return row?.requested ?? false
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
export const deployJobs = (reach: AppJobHost): JobKind[] =>
  deployKinds.map((kind) => ({
    kind,
    silenceLimitMs: BULK_SILENCE_LIMIT_MS,
    again: 'deployApp',
    steps: [...made, 'switch', 'finish'],
    cancellable: true,
    isTooLate: (job) => isAfterSwitch(reach.runtime, job),
    exists: ({ object_id }) => appById(reach.runtime.store.db, object_id!) !== undefined,
    secrets: ({ object_id }) => secretsOf(reach.runtime, reach.runtime.store.db, object_id!),
    run: (job) => deploy(reach, job),
    undo: (job) => takeUpload(reach, job),
    failed: (ctx, job) => endRelease(ctx, job, 'failed'),
    cancelled: (runtime, job) => endRelease(runtime, job, 'cancelled'),
  }))
