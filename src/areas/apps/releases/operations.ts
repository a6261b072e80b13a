import type * as declared from '../../../contract/apps/releases.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { logOf } from '../../jobs/store.ts'
import { secretsOf } from '../env/store.ts'
import { urlsOf } from '../view.ts'
import { deployApp } from './deploy.ts'
import { rollbackApp } from './rollback.ts'
import { pageOfReleases, toRelease } from './store.ts'

const listReleases: Handler<typeof declared.listReleases> = {
  handle(ctx, { query }) {
    const { app } = ctx.found
    const { items, total } = pageOfReleases(ctx, app.id, query)
    const urls = urlsOf(ctx.db, app)
    return { items: items.map((row) => toRelease(row, urls)), total }
  },
}

const getRelease: Handler<typeof declared.getRelease> = {
  handle(ctx, { query }) {
    const { app, release } = ctx.found
    const secrets = secretsOf(ctx.runtime, ctx.db, app.id)
    return {
      release: toRelease(release, urlsOf(ctx.db, app)),
      log: logOf(ctx, release.job_id, secrets, query.log_after),
    }
  },
}

export const releaseOperations = { deployApp, rollbackApp, listReleases, getRelease }
