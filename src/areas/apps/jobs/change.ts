import { JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/jobs/job-kind.ts'
import { isFollowed } from '../../../runtime/jobs/queue.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import { type Host, reapplyAccount, watching } from '../../accounts/jobs/apply.ts'
import { settleServedApp, unshowApp } from '../../domains/served-app.ts'
import { appById, removeApp, setApp } from '../store.ts'
import { APP_AREAS, activate, appOf, final, keepStatus, nameOnHost, settleApp } from './host.ts'

/** Applies the app and its domains to the host. */
async function apply(host: Host, job: RunningJob): Promise<Settle | undefined> {
  if (appOf(host, job).status === 'deleting') return undefined
  await activate(host, job)
  job.step('check')
  const status = await settleApp(host, job)
  return (ctx) => {
    keepStatus(ctx, status)
    const app = appById(ctx.db, job.row.object_id!)
    if (app?.status === 'creating') setApp(ctx, app.id, { status: 'active' })
    if (app) settleServedApp(ctx, app.id)
    ctx.afterCommit(() => ctx.runtime.signals.emit('appChange'))
  }
}

async function restart(host: Host, job: RunningJob): Promise<Settle> {
  if (appOf(host, job).status === 'deleting') throw new JobError('The app is being deleted.', true)
  await activate(host, job)
  job.step('check')
  const status = await final(host.client.restartApp(nameOnHost(host, job), watching(job)))
  return (ctx) => {
    keepStatus(ctx, status)
    ctx.afterCommit(() => ctx.runtime.signals.emit('appChange'))
  }
}

/** The app is no longer in the desired state, so the host stops it and removes its files. */
async function remove(host: Host, job: RunningJob): Promise<Settle> {
  await activate(host, job, { deletes: true })
  return (ctx) => removeApp(ctx, job.row.object_id!)
}

const steps = ['prepare', 'apply', 'check'] as const

/** Kinds of job that change one app without a new release. */
export function changeJobs(host: Host): JobKind[] {
  const { store } = host.runtime
  const exists = ({ object_id }: JobRow) => appById(store.db, object_id!) !== undefined
  /** An app that never reached the host must not keep its name. */
  const isUnmade = (job: JobRow) => appById(store.db, job.object_id!)?.status === 'creating'
  const forget = (job: JobRow): void => {
    if (!isUnmade(job) || isFollowed(host.runtime, job)) return
    unshowApp({ store, db: store.db }, job.object_id!)
    removeApp(store, job.object_id!)
  }
  return [
    {
      kind: 'app.apply',
      steps,
      exists,
      run: (job) => apply(host, job),
      async undo(job, signal) {
        if (!isUnmade(job)) return
        await store.change(() => forget(job))
        await reapplyAccount(host, job, signal, { areas: APP_AREAS, beside: true })
      },
      failed: (_ctx, job) => forget(job),
    },
    { kind: 'app.restart', steps, exists, run: (job) => restart(host, job) },
    { kind: 'app.delete', maxAttempts: 5, exists, run: (job) => remove(host, job) },
  ]
}
