import type { Area } from '../../runtime/areas/area.ts'
import { importJobs } from './jobs.ts'
import { importSettings } from './limits.ts'
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
  jobs: (runtime, { host: client }) => importJobs({ runtime, client }),
  lanes: { import: 8 },
  stored: { migrations, sealed: [{ table: 'imports', column: 'source', purpose }] },
} satisfies Area
