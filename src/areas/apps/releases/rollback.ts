import type { rollbackApp as declared } from '../../../contract/apps/releases.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { refuseCode } from '../kinds.ts'
import { laneOf, type OfApp, refuseDeploying, refuseSuspended } from '../refuse.ts'
import { setApp } from '../store.ts'
import type { ReleaseRow } from '../tables.ts'
import { urlsOf } from '../view.ts'
import { releaseById, supersededOf, toRelease } from './store.ts'

/** Enqueues a rollback to a release whose files are kept. */
export const rollbackApp: Handler<typeof declared> = {
  handle(ctx, { body }) {
    const { account, app } = ctx.found
    const release = releaseToRestore(ctx, body.release_id)
    refuseDeploying(ctx)
    refuseSuspended(ctx)
    refuseCode(ctx, app)
    setApp(ctx, app.id, { deploying_release_id: release.id })
    const details = { name: app.name, release: String(release.number) }
    ctx.emit({ type: 'app.rolled_back', account, object_id: app.id, details })
    ctx.note({ account, object_id: app.id, after: { app: app.name, release: release.number } })
    const payload = { app: app.name, release: release.id }
    const job_id = ctx.enqueue({ kind: 'app.rollback', account, object_id: app.id, lane: laneOf(app), payload })
    return { release: toRelease(release, urlsOf(ctx.db, app)), job_id }
  },
}

function releaseToRestore(ctx: Context & OfApp, id: string | undefined): ReleaseRow {
  const { app } = ctx.found
  if (id === undefined) {
    const [before] = supersededOf(ctx.db, app.id)
    if (!before) throw new Problem('release-unavailable', `No earlier release of ${app.name} is kept.`)
    return before
  }
  const release = releaseById(ctx.db, id)
  if (release?.app_id !== app.id) throw invalid('release_id', 'names no release of this app')
  if (release.status !== 'superseded')
    throw new Problem('release-unavailable', `Release ${release.number} of ${app.name} is ${release.status}.`)
  return release
}
