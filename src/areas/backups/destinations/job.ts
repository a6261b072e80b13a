import { JobError, type JobKind } from '../../../runtime/jobs/job-kind.ts'
import { type Host, watching } from '../../accounts/jobs/apply.ts'
import { hostDestination } from './host-destination.ts'
import { destinationById } from './store.ts'

/** The kind that tests a destination. */
export const testJob = ({ runtime, client }: Host): JobKind => ({
  kind: 'backup.test',
  cancellable: true,
  maxAttempts: 1,
  exists: ({ object_id }) => destinationById(runtime.store.db, object_id!) !== undefined,
  async run(job) {
    const row = destinationById(runtime.store.db, job.row.object_id!)
    if (!row) throw new JobError('The backup destination no longer exists.', true)
    await client.testPlace(hostDestination(runtime, row), watching(job))
    job.log(`${row.name}: backups can be kept there`)
    return undefined
  },
})
