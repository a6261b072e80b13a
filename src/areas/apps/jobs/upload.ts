import type { JobRow } from '../../../runtime/tables.ts'
import { hostNameOf } from '../../accounts/state.ts'
import { accountById } from '../../accounts/store.ts'
import { forgetUpload } from '../../files/uploads.ts'
import { releaseById } from '../releases/store.ts'
import { releaseIdOf } from '../under-way.ts'
import type { Reach } from './host.ts'

/** Removes an upload after its deploy, successful or not; bytes left on the host expire. */
export async function takeUpload({ runtime: { store }, client }: Reach, job: JobRow): Promise<void> {
  const id = releaseById(store.db, releaseIdOf(job))?.upload_id
  const account = accountById(store.db, job.account_id!)
  if (!id || !account || job.kind !== 'app.deploy') return
  await store.change(() => forgetUpload(store, id))
  await client
    .files(hostNameOf(account))
    .act('dropUpload', { id })
    .catch(() => {})
}
