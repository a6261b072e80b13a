import type { Area } from '../../runtime/area.ts'
import { jobOperations } from './operations.ts'
import { findJob } from './store.ts'

export const jobs = {
  name: 'jobs',
  handlers: jobOperations,
  finders: {
    '/jobs/{id}': (ctx, { id }) => findJob(ctx, id!),
    '/accounts/{id}/jobs/{jid}': (ctx, { id, jid }) => findJob(ctx, jid!, id),
  },
} satisfies Area
