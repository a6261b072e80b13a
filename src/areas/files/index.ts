import type { Area } from '../../runtime/areas/area.ts'
import { expireTrash } from './expiry.ts'
import { fileJobs, stopFileJobs } from './jobs.ts'
import { migrations } from './migrations.ts'
import { fileOperations } from './operations.ts'
import type { UploadRow } from './tables.ts'
import { findUpload } from './uploads.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/trash/{xid}': object
    '/accounts/{id}/uploads/{uid}': { upload: UploadRow }
  }
}

export const files = {
  name: 'files',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: fileOperations,
  // Only the host knows what is in the trash: the operation asks it once.
  finders: {
    '/accounts/{id}/trash/{xid}': () => ({}),
    '/accounts/{id}/uploads/{uid}': (ctx, { id, uid }) => ({ upload: findUpload(ctx, id, uid) }),
  },
  jobs: (runtime, { host }) => fileJobs(runtime, host),
  onJob: stopFileJobs,
  start: (runtime, { host }) => expireTrash(runtime, host),
  stored: { migrations },
} satisfies Area
