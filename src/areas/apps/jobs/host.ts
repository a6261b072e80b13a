import { type AppSettling, type AppStatus, HostError } from '../../../host/contract/driver.ts'
import type { Outgoing } from '../../../outgoing/client.ts'
import { JobError, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { applyAccount, type Host, type Scope, watching } from '../../accounts/jobs/apply.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { accountById, type FullAccount } from '../../accounts/store.ts'
import { isProgram } from '../kinds.ts'
import { retainedNumbers } from '../releases/store.ts'
import { appById, observe } from '../store.ts'
import type { AppRow } from '../tables.ts'

/** What app jobs need to reach the host and repositories. */
export interface AppJobHost extends Host {
  readonly outgoing: Outgoing
}

export function accountOf({ runtime }: Host, { row }: RunningJob): FullAccount {
  const account = accountById(runtime.store.db, row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  return account
}

export function appOf({ runtime }: Host, { row }: RunningJob): AppRow {
  const app = appById(runtime.store.db, row.object_id!)
  if (!app) throw new JobError('The app no longer exists.', true)
  return app
}

/** Apps, and the sites that show them: one that shows an app needs no PHP any more. */
export const APP_AREAS = ['apps', 'web', 'php'] as const

/** Applies apps and the sites that show them. */
export async function activate(host: Host, job: RunningJob, scope: Scope = { needsHome: true }): Promise<void> {
  await applyAccount(host, accountOf(host, job), job, { ...scope, areas: APP_AREAS, beside: true })
}

/** The app's current name on the host. */
export function nameOnHost(host: Host, job: RunningJob) {
  const { id, name } = appOf(host, job)
  return { account: hostNameOf(accountOf(host, job)), id, name }
}

/** Waits until the app is healthy or stopped on the host; undefined if the account is suspended. */
export async function settleApp(host: Host, job: RunningJob): Promise<AppStatus | undefined> {
  if (appOf(host, job).current_release_id === null || accountOf(host, job).suspended_at !== null) return undefined
  return final(host.client.settleApp(settlingOf(host, job), watching(job)))
}

const settlingOf = (host: Host, job: RunningJob): AppSettling => ({
  app: nameOnHost(host, job),
  keep: retainedNumbers(host.runtime.store.db, job.row.object_id!),
})

/** Removes a healthy release that will not go live; if that fails, the next one retries. */
export async function dropCandidate(host: Host, job: RunningJob): Promise<void> {
  const { id, kind } = job.row
  await Promise.resolve()
    .then(() => host.client.settleApp(settlingOf(host, job)))
    .catch((error: unknown) => host.runtime.log.warn({ err: error, job: id, kind }, 'could not remove a release'))
}

/** Makes the host's errors final: a retry would not change them. */
export function final<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof HostError ? new JobError(error.message, true) : error
  })
}

/** Stores the reported status, unless the process is another one by now. */
export function keepStatus(ctx: Pick<Context, 'store' | 'db' | 'now'>, status: AppStatus | undefined): void {
  const app = status && appById(ctx.db, status.id)
  if (!status || !app || !isProgram(app.kind)) return
  observe(ctx, app, status, ctx.now)
}
