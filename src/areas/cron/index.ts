import type { Area } from '../../runtime/areas/area.ts'
import type { EventRow } from '../../runtime/events/emission.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { backup } from './backup.ts'
import { cronHost } from './host.ts'
import { cronJobKinds } from './jobs.ts'
import { migrations } from './migrations.ts'
import { failingCronJobs } from './notices.ts'
import { cronOperations } from './operations.ts'
import { noteHanded } from './run-now.ts'
import { findRun, interruptAll, interruptLocal, leftRunning } from './runs.ts'
import { planAll, Scheduler } from './scheduler.ts'
import { findCronJob } from './store.ts'
import type { CronJobRow, CronRunRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/cron/jobs/{cid}': { cronJob: CronJobRow }
    '/accounts/{id}/cron/jobs/{cid}/runs/{rid}': { run: CronRunRow }
  }
}

const ending: readonly EventRow['type'][] = ['account.suspended', 'account.terminated']

/** A suspended or terminated account runs nothing more; after an unsuspension, jobs wait for their next times. */
function follow(runtime: Runtime, { type, object_id }: EventRow): void {
  if (!ending.includes(type) && type !== 'account.unsuspended') return
  runtime.store.afterCommit(() => {
    if (ending.includes(type)) runtime.signals.emit('cronEnd', object_id)
    runtime.signals.emit('cronChange')
  })
}

export const cron = {
  name: 'cron',
  handlers: cronOperations,
  finders: {
    '/accounts/{id}/cron/jobs/{cid}': (ctx, { id, cid }) => ({ cronJob: findCronJob(ctx, id, cid) }),
    '/accounts/{id}/cron/jobs/{cid}/runs/{rid}': (ctx, { cid, rid }) => ({ run: findRun(ctx, cid, rid) }),
  },
  jobs: (runtime, { host, fleet }) => cronJobKinds({ runtime, client: host, fleet }),
  ofAccount: { host: { cron: cronHost }, notices: failingCronJobs, backup },
  onEvent: follow,
  prepare: (runtime, { host }) =>
    runtime.store.change(() => {
      if (!runtime.runsTenantCode) interruptAll(runtime.store, runtime.clock.now())
      else if (host.kind !== 'debian') interruptLocal(runtime.store, runtime.clock.now())
      noteHanded(runtime, leftRunning(runtime.store.db))
      planAll(runtime)
    }),
  start: (runtime, outside) =>
    runtime.runsTenantCode ? new Scheduler(runtime, outside) : { stop: () => Promise.resolve() },
  stored: { migrations },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
