import type { HostClient } from '../../host/client.ts'
import type { JobKind, RunningJob } from '../../runtime/kind.ts'
import { JobError } from '../../runtime/kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { hostNameOf } from '../accounts/state.ts'
import { accountById } from '../accounts/store.ts'

/** What works on all files of a directory: in a lane of its own beside the account's other jobs. */
export function fileJobs(runtime: Runtime, host: HostClient): JobKind[] {
  const filesOf = ({ row }: RunningJob) => {
    const account = accountById(runtime.store.db, row.account_id!)
    if (!account) throw new JobError('The account no longer exists.', true)
    return host.files(hostNameOf(account))
  }
  return [
    {
      kind: 'files.empty_trash',
      cancellable: true,
      async run(job) {
        const told = { before: Number(job.row.payload['before']) }
        const { removed } = await filesOf(job).act('emptyTrash', told, { signal: job.signal })
        job.log(`${removed} items are gone for good`)
        return undefined
      },
    },
  ]
}
