import type { deployApp as declared } from '../../../contract/apps/releases.ts'
import type { Input } from '../../../contract/operation.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { filesOf } from '../../files/of-account.ts'
import { withProblems } from '../../files/problem.ts'
import { uploadOf } from '../../files/uploads.ts'
import { refuseCode } from '../kinds.ts'
import { laneOf, type OfApp, refuseDeploying, refuseSuspended } from '../refuse.ts'
import { setApp } from '../store.ts'
import type { ReleaseRow } from '../tables.ts'
import { urlsOf } from '../view.ts'
import { addRelease, setRelease, toRelease } from './store.ts'

type DeployBody = Input<typeof declared>['body']

/** Enqueues a deploy; its job builds the release beside the live one and switches to it. */
export const deployApp: Handler<typeof declared, number | undefined> = {
  prepare: bytesOf,
  handle(ctx, { body }, bytes) {
    const { account, app } = ctx.found
    refuseSource(ctx, body, bytes)
    refuseDeploying(ctx)
    refuseSuspended(ctx)
    refuseCode(ctx, app)
    const id = ctx.id()
    const release = newRelease(ctx, id, body)
    addRelease(ctx, release)
    setApp(ctx, app.id, { last_number: release.number, deploying_release_id: id })
    const details = { name: app.name, release: String(release.number) }
    ctx.emit({ type: 'app.deploy_started', account, object_id: app.id, details })
    ctx.note({ account, object_id: app.id, after: { app: app.name, release: release.number, ...body } })
    const lane = laneOf(app)
    const payload = { app: app.name, release: id }
    const job_id = ctx.enqueue({ kind: 'app.deploy', account, object_id: app.id, lane, payload })
    setRelease(ctx, id, { job_id })
    return { release: toRelease({ ...release, job_id }, urlsOf(ctx.db, app)), job_id }
  },
}

/** How many bytes of the upload have arrived. */
async function bytesOf(ctx: Context & OfApp, { body: { upload_id: id } }: Input<typeof declared>) {
  if (id === undefined || !uploadOf(ctx, ctx.found.account.id, id)) return undefined
  const { sizes } = await withProblems(() => filesOf(ctx).act('uploadSizes', { ids: [id] }))
  return sizes[0]
}

function refuseSource(ctx: Context & OfApp, { ref, upload_id }: DeployBody, bytes: number | undefined): void {
  const { account, app } = ctx.found
  if (upload_id === undefined) {
    if (app.git_url === null)
      throw new Problem('not-configured', `${app.name} has no repository: set git_url, or deploy an upload.`)
    return
  }
  if (ref !== undefined) throw invalid('ref', 'cannot be combined with upload_id')
  const upload = uploadOf(ctx, account.id, upload_id)
  if (!upload) throw invalid('upload_id', 'names no upload of this account')
  if (bytes !== upload.size)
    throw new Problem('incomplete', `${bytes ?? 0} of ${upload.size} bytes of the upload have come.`)
}

const newRelease = (
  { found: { app }, now }: Context & OfApp,
  id: string,
  { ref, upload_id }: DeployBody,
): ReleaseRow => ({
  id,
  app_id: app.id,
  number: app.last_number + 1,
  source: upload_id === undefined ? 'git' : 'archive',
  ref: ref ?? (upload_id === undefined ? app.git_branch : null),
  upload_id: upload_id ?? null,
  commit_id: null,
  root: null,
  status: 'queued',
  error: null,
  warnings: null,
  size_bytes: null,
  job_id: id,
  created_at: now,
  activated_at: null,
})
