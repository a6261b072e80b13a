import { JobError, type JobKind } from '../../../runtime/jobs/job-kind.ts'
import { type Host, watching } from '../../accounts/jobs/apply.ts'
import { hostDestination } from './host-destination.ts'
import { destinationById, nodesUsing } from './store.ts'

/** The kind that tests a destination. */
export const testJob = ({ runtime, client }: Host): JobKind => ({
  kind: 'backup.test',
  cancellable: true,
  maxAttempts: 1,
  exists: ({ object_id }) => destinationById(runtime.store.db, object_id!) !== undefined,
  async run(job) {
    const row = destinationById(runtime.store.db, job.row.object_id!)
    if (!row) throw new JobError('The backup destination no longer exists.', true)
    // A node learns the credentials and the encryption key only of the destinations that its accounts use.
    const nodes = row.keys === null ? undefined : nodesUsing(runtime.store.db, row)
    await client.testPlace(hostDestination(runtime, row), { ...watching(job), nodes })
    job.log(`${row.name}: backups can be kept there`)
    return undefined
  },
})
