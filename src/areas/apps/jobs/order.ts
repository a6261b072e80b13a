import type { DeployRequest, UploadSource } from '../../../host/contract/driver.ts'
import { JobError, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { roomForAll } from '../../files/quota.ts'
import { uploadOf } from '../../files/uploads.ts'
import { envOf } from '../env/store.ts'
import { gitSourceOf } from '../git.ts'
import type { AppRow, ReleaseRow } from '../tables.ts'
import { unitOf } from '../unit.ts'
import { type AppJobHost, accountOf } from './host.ts'

interface AppJob {
  readonly app: AppRow
  readonly release: ReleaseRow
}

/** The order for a release, as the host gets it. */
export async function orderOf(reach: AppJobHost, job: RunningJob, { app, release }: AppJob): Promise<DeployRequest> {
  const { runtime } = reach
  const { db } = runtime.store
  const source = await sourceOf(reach, job, { app, release })
  const account = accountOf(reach, job)
  const { root: _live, ...unit } = unitOf(runtime, db, account, app)
  const root = app.root ?? (source.kind === 'retained' ? release.root : null)
  const { install, build } = app
  return {
    account: hostNameOf(account),
    app: { ...unit, listen: app.listen },
    release: release.number,
    source,
    ...(root !== null && { root }),
    ...(install !== null && { install }),
    ...(build !== null && { build }),
    buildTimeoutS: app.build_timeout_s,
    secrets: envOf(db, app.id).flatMap(({ name, sealed }) => (sealed === null ? [] : [name])),
    ...(await roomForAll(runtime, account.id, job.signal)),
  }
}

function sourceOf({ runtime, outgoing }: AppJobHost, { row }: RunningJob, { app, release }: AppJob) {
  if (row.kind === 'app.rollback') return { kind: 'retained' } as const
  if (release.source === 'git') return gitSourceOf(runtime, outgoing, app, release)
  return uploadSource(runtime, row.account_id!, release)
}

function uploadSource({ store, clock }: Runtime, account: string, { upload_id: id }: ReleaseRow): UploadSource {
  const upload = uploadOf({ db: store.db, now: clock.now() }, account, id!)
  if (!upload) throw new JobError('The upload no longer exists.', true)
  const { size, sha256 } = upload
  return { kind: 'upload', id: upload.id, size, ...(sha256 !== null && { sha256 }) }
}
