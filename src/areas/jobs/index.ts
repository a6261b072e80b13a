import type { Area } from '../../runtime/areas/area.ts'
import { defaultDays } from '../../runtime/settings/settings.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { failedJobs } from './notices.ts'
import { jobOperations } from './operations.ts'
import { findJob } from './store.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/jobs/{id}': { job: JobRow }
    '/accounts/{id}/jobs/{jid}': { job: JobRow }
  }
}

export const jobs = {
  name: 'jobs',
  settings: { job_days: defaultDays.job_days },
  handlers: jobOperations,
  ofAccount: { notices: failedJobs },
  finders: {
    '/jobs/{id}': (ctx, { id }) => ({ job: findJob(ctx, id) }),
    '/accounts/{id}/jobs/{jid}': (ctx, { id, jid }) => ({ job: findJob(ctx, jid, id) }),
  },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
