import type { Area } from '../../runtime/areas/area.ts'
import { rememberLookups } from './checklist/public-dns.ts'
import { importJobs } from './jobs.ts'
import { importSettings, refuseNetworks } from './limits.ts'
import { migrations } from './migrations.ts'
import { importOperations } from './operations.ts'
import { findImport, purpose } from './store.ts'
import type { ImportHead, ImportUploadRow } from './tables.ts'
import { expireUploads } from './uploads/expiry.ts'
import { findUpload, uploadOperations } from './uploads/operations.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/imports/{iid}': { import: ImportHead }
    '/imports/uploads/{uid}': { upload: ImportUploadRow }
  }
}

export const imports = {
  name: 'imports',
  handlers: { ...importOperations, ...uploadOperations },
  finders: {
    '/imports/{iid}': (ctx, { iid }) => ({ import: findImport(ctx, iid) }),
    '/imports/uploads/{uid}': (ctx, { uid }) => ({ upload: findUpload(ctx, uid) }),
  },
  settings: importSettings,
  refuseSettings: refuseNetworks,
  jobs(runtime, { host: client, outgoing, lookups }) {
    rememberLookups(runtime, lookups)
    return importJobs({ runtime, client }, outgoing)
  },
  start: expireUploads,
  lanes: { import: 8 },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  stored: { migrations, sealed: [{ table: 'imports', column: 'source', purpose }] },
} satisfies Area
