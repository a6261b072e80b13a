import type { Area } from '../../runtime/areas/area.ts'
import { rememberLookups } from './checklist/public-dns.ts'
import { importJobs } from './jobs.ts'
import { importSettings, refuseNetworks } from './limits.ts'
import { migrations } from './migrations/index.ts'
import { importOperations } from './operations.ts'
import { findImport, purpose } from './store.ts'
import type { ImportRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/imports/{iid}': { import: ImportRow }
  }
}

export const imports = {
  name: 'imports',
  handlers: importOperations,
  finders: { '/imports/{iid}': (ctx, { iid }) => ({ import: findImport(ctx, iid) }) },
  settings: importSettings,
  refuseSettings: refuseNetworks,
  jobs(runtime, { host: client, outgoing, lookups }) {
    rememberLookups(runtime, lookups)
    return importJobs({ runtime, client }, outgoing)
  },
  lanes: { import: 8 },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  stored: { migrations, sealed: [{ table: 'imports', column: 'source', purpose }] },
} satisfies Area
