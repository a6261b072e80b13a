import type { Area } from '../../runtime/area.ts'
import { backup } from './backup.ts'
import { hasFeature } from './features.ts'
import { type FoundAccount, findAccount } from './found.ts'
import { accountHost } from './host.ts'
import { accountJobs } from './jobs.ts'
import { accountsByName } from './lookup.ts'
import { nearLimits } from './near.ts'
import { nodeOf, ownerOf } from './node.ts'
import { accountOperations } from './operations.ts'
import { raiseGeneration } from './order.ts'
import { refuseSettings } from './reserved.ts'
import { stored } from './stored.ts'
import { sweepAfterRestore } from './sweep.ts'
import { Measuring } from './usage.ts'

declare module '../../runtime/found.ts' {
  interface Found {
    '/accounts/{id}': { account: FoundAccount }
  }
}

export const accounts = {
  name: 'accounts',
  handlers: accountOperations,
  lookup: { account: accountsByName },
  finders: { '/accounts/{id}': (ctx, { id }) => ({ account: findAccount(ctx, id) }) },
  jobs: (runtime, { host, fleet }) => accountJobs({ runtime, client: host }, fleet),
  services: { hasFeature, nodeOf, ownerOf },
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
