import type { HostClient } from '../../host/contract/client.ts'
import { HostError } from '../../host/contract/driver.ts'
import type { RunningJob } from '../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { raiseGeneration } from '../accounts/objects/revision.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById, type FullAccount } from '../accounts/store.ts'
import { keepStatus } from './jobs/host.ts'
import { isProgram } from './kinds.ts'
import { adopt } from './releases/adopt.ts'
import { findReleases } from './releases/found.ts'
import { retainedNumbers } from './releases/store.ts'
import { appById, appsOf } from './store.ts'
import type { AppRow } from './tables.ts'

const isOfApps = (path: string): boolean => path === 'apps' || path.startsWith('apps/')

/** The home's current release becomes the live one; apps are started with the restored files. */
export async function filesRestored(
  runtime: Runtime,
  client: HostClient,
  account: FullAccount,
  job: RunningJob,
  paths: readonly string[] | undefined,
): Promise<() => Promise<void>> {
  if (paths && !paths.some(isOfApps)) return async () => {}
  const { store, clock } = runtime
  const former = appsOf.all(store.db, account.id)
  const files = client.files(hostNameOf(account))
  for (const { id, name } of former) {
    const found = await findReleases(files, name)
    const ctx = { store, db: store.db, now: clock.now(), id: () => runtime.id() }
    await store.change(() => {
      const app = appById(store.db, id)
      if (app && app.status !== 'deleting') adopt(ctx, app, found)
      raiseGeneration(runtime, account.id)
    })
  }
  return async () => {
    for (const app of former) await start(runtime, client, job, app)
    runtime.signals.emit('appChange')
  }
}

/**
 * Applying starts a different release; the same one must be restarted, as its process still uses the replaced files.
 */
async function start(runtime: Runtime, client: HostClient, job: RunningJob, former: AppRow): Promise<void> {
  const { store, clock } = runtime
  const app = appById(store.db, former.id)
  const account = app && accountById(store.db, app.account_id)
  if (!account || !runtime.runsTenantCode || account.suspended_at !== null || !isToRun(app)) return
  const { id, name } = app
  const onHost = { account: hostNameOf(account), id, name }
  const options = { signal: job.signal }
  try {
    const isSame = app.current_release_id === former.current_release_id
    const status = await (isSame
      ? client.restartApp(onHost, options)
      : client.settleApp({ app: onHost, keep: retainedNumbers(store.db, id) }, options))
    await store.change(() => keepStatus({ store, db: store.db, now: clock.now() }, status))
  } catch (error) {
    job.signal.throwIfAborted()
    if (!(error instanceof HostError)) throw error
    job.log(`${name}: ${error.message}`, 'warn')
  }
}

const isToRun = ({ kind, status, running, current_release_id }: AppRow): boolean =>
  isProgram(kind) && status !== 'deleting' && running && current_release_id !== null
