import type { Area } from '../../runtime/area.ts'
import { fileJobs } from './jobs.ts'
import { fileOperations } from './operations.ts'

declare module '../../runtime/found.ts' {
  interface Found {
    '/accounts/{id}/trash/{xid}': object
  }
}

export const files = {
  name: 'files',
  handlers: fileOperations,
  // The host knows what is in the trash: it is asked once, by what is done with it.
  finders: { '/accounts/{id}/trash/{xid}': () => ({}) },
  jobs: (runtime, { host }) => fileJobs(runtime, host),
} satisfies Area
