import type { JobKind } from '../../runtime/jobs/job-kind.ts'
import type { Host } from '../accounts/jobs/apply.ts'
import { applyOrDiscardJob } from '../accounts/objects/pending-objects-job.ts'
import { keysOf, markApplied, removeUnapplied } from './store.ts'

export const sshJobs = (host: Host): JobKind[] => [
  applyOrDiscardJob(host, {
    kind: 'ssh.apply',
    area: 'ssh',
    ids: (db, account) => keysOf(db, account).map(({ id }) => id),
    markApplied,
    removeUnapplied,
  }),
]
