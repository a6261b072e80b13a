import type { Area } from '../../runtime/area.ts'
import { accountJobs } from './jobs.ts'
import { showAccount } from './json.ts'
import { accountOperations } from './operations.ts'
import { measuring } from './usage.ts'

export const accounts = {
  name: 'accounts',
  handlers: accountOperations,
  finders: { '/accounts/{id}': (ctx, { id }) => showAccount(ctx, id!) },
  jobs: ({ store, hostname }, { driver }) => accountJobs({ db: store.db, driver, hostname }),
  start: (runtime, { driver }) => measuring(runtime, driver),
} satisfies Area
