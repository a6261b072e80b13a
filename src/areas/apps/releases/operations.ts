import type * as declared from '../../../contract/apps/releases.ts'
import type { Handler } from '../../../runtime/run.ts'
import { logOf } from '../../jobs/store.ts'
import { deployApp } from './deploy.ts'
import { rollbackApp } from './rollback.ts'
import { pageOfReleases, toRelease } from './store.ts'

const listReleases: Handler<typeof declared.listReleases> = {
  handle(ctx, { query }) {
    const { items, total } = pageOfReleases(ctx, ctx.found.app.id, query)
    return { items: items.map(toRelease), total }
  },
}

const getRelease: Handler<typeof declared.getRelease> = {
  handle: (ctx, { query }) => ({
    release: toRelease(ctx.found.release),
    log: logOf(ctx, ctx.found.release.job_id, query.log_after),
  }),
}

export const releaseOperations = { deployApp, rollbackApp, listReleases, getRelease }
