import type * as declared from '../../contract/wordpress-change.ts'
import type { HostClient } from '../../host/contract/client.ts'
import { HostError } from '../../host/contract/driver.ts'
import { JobError, type JobKind } from '../../runtime/jobs/job-kind.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { fullAccount } from '../accounts/store.ts'
import { askSite } from './ask.ts'
import { refuseToRun } from './busy.ts'
import { setSite, settle, siteById } from './store.ts'
import { toSite } from './view.ts'

const TIMEOUT_S = 60

/** Marks the site as being worked on; its job has the site's account write or remove the file. */
export const setWordpressMaintenance: Handler<typeof declared.setWordpressMaintenance> = {
  handle(ctx, { body: { enabled } }) {
    const { account, wordpress } = ctx.found
    refuseToRun(fullAccount(ctx), wordpress)
    setSite(ctx, wordpress.id, { status: 'working' })
    ctx.note({ account, object_id: wordpress.id, after: { maintenance: enabled } })
    const job_id = ctx.enqueue({
      ...{ kind: 'wordpress.change', account, object_id: wordpress.id, lane: `wordpress:${wordpress.id}` },
      payload: { change: 'maintenance', enabled: String(enabled) },
    })
    return { site: toSite(ctx, { ...wordpress, status: 'working' }), job_id }
  },
}

/** Carries out a change that its payload names; it may run again. */
export const changeJob = (runtime: Runtime, host: HostClient): JobKind => ({
  kind: 'wordpress.change',
  exists: ({ object_id }) => siteById(runtime.store.db, object_id!) !== undefined,
  async run({ row, signal }) {
    const site = siteById(runtime.store.db, row.object_id!)
    if (!site) throw new JobError('The site no longer exists.', true)
    const input = { enabled: row.payload['enabled'] === 'true' }
    await askSite(runtime, host, site, { task: 'maintenance', input, timeoutS: TIMEOUT_S, signal }).catch(failure)
    return (ctx) => settle(ctx, site.id)
  },
  failed: (ctx, { object_id }) => settle(ctx, object_id!),
})

function failure(error: unknown): never {
  throw error instanceof HostError && error.stage === 'stage' ? new JobError(error.message) : error
}
