import type { RunningJob } from '../../../runtime/kind.ts'
import { hostNameOf } from '../../accounts/state.ts'
import { forgetUpload } from '../../files/uploads.ts'
import type { ReleaseRow } from '../tables.ts'
import { accountOf, type Reach } from './host.ts'

/** An upload that was deployed is gone; where the host still has its bytes, they expire. */
export async function takeUpload(reach: Reach, job: RunningJob, release: ReleaseRow | undefined): Promise<void> {
  const { store } = reach.runtime
  const id = release?.upload_id
  if (!id || job.row.kind !== 'app.deploy') return
  await store.change(() => forgetUpload(store, id))
  const files = reach.client.files(hostNameOf(accountOf(reach, job)))
  await files.act('dropUpload', { id }).catch(() => {})
}
