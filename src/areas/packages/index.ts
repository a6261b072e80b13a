import type { Area } from '../../runtime/area.ts'
import { makeDefaultPackage } from './first.ts'
import { packageJobs } from './jobs.ts'
import { packageOperations } from './operations.ts'
import { findPackage } from './store.ts'

export const packages = {
  name: 'packages',
  handlers: packageOperations,
  finders: { '/packages/{id}': (ctx, { id }) => findPackage(ctx, id!) },
  jobs: ({ store }) => packageJobs(store.db),
  first: makeDefaultPackage,
} satisfies Area
