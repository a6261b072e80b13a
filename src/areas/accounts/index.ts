import type { Area } from '../../runtime/areas/area.ts'
import { accountJobs } from './jobs/index.ts'
import { sweepAfterRestore } from './jobs/sweep.ts'
import { nearLimits } from './limits/limit-notices.ts'
import { type FoundAccount, findAccount } from './objects/find-account.ts'
import { accountHost } from './objects/host.ts'
import { nodeOf, ownerOf } from './objects/node.ts'
import { raiseGeneration } from './objects/revision.ts'
import { refuseLargeChange } from './objects/state-size.ts'
import { backup } from './operations/backup.ts'
import { hasFeature } from './operations/features.ts'
import { accountOperations } from './operations/index.ts'
import { accountsByName } from './operations/lookup.ts'
import { Measuring } from './operations/usage.ts'
import { refuseSettings } from './reserved.ts'
import { stored } from './store-parts.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}': { account: FoundAccount }
  }
}

export const accounts = {
  name: 'accounts',
  handlers: accountOperations,
  lookup: { account: accountsByName },
  finders: { '/accounts/{id}': (ctx, { id }) => ({ account: findAccount(ctx, id) }) },
  jobs: (runtime, { host, fleet }) => accountJobs({ runtime, client: host }, fleet),
  services: { hasFeature, nodeOf, ownerOf, refuseLargeChange },
  settings: { reserved_domains: [] },
  refuseSettings,
  ofAccount: { host: accountHost, notices: nearLimits, backup },
  onJob: (runtime, { account }) => account && raiseGeneration(runtime, account.id),
  start: async (runtime, { fleet }) => {
    await sweepAfterRestore(runtime)
    return new Measuring(runtime, fleet)
  },
  stored,
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
