import type { JobKind } from '../../runtime/kind.ts'
import type { Host } from '../accounts/apply.ts'
import { keptJob } from '../accounts/kept.ts'
import { keysOf, markApplied, removeUnapplied } from './store.ts'

export const sshJobs = (host: Host): JobKind[] => [
  keptJob(host, {
    kind: 'ssh.apply',
    area: 'ssh',
    ids: (db, account) => keysOf(db, account).map(({ id }) => id),
    markApplied,
    removeUnapplied,
  }),
]
