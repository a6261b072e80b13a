import type { Area } from '../../runtime/areas/area.ts'
import { backup } from './backup.ts'
import { sshHost } from './host.ts'
import { sshJobs } from './jobs.ts'
import { migrations } from './migrations.ts'
import { sshOperations } from './operations.ts'
import { findKey } from './store.ts'
import type { SshKeyRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/ssh/keys/{kid}': { key: SshKeyRow }
  }
}

export const ssh = {
  name: 'ssh',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: sshOperations,
  finders: { '/accounts/{id}/ssh/keys/{kid}': (ctx, { id, kid }) => ({ key: findKey(ctx, id, kid) }) },
  jobs: (runtime, { host }) => sshJobs({ runtime, client: host }),
  ofAccount: { host: { ssh: sshHost }, backup },
  stored: { migrations },
} satisfies Area
