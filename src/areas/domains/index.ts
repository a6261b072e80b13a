import type { Area } from '../../runtime/area.ts'
import { ofAccount } from './account.ts'
import { backup } from './backup.ts'
import { webHost } from './host.ts'
import { domainJobs } from './jobs.ts'
import { domainsByName } from './lookup.ts'
import { domainOperations } from './operations.ts'
import { findRedirect } from './redirects.ts'
import { domainsOf } from './store.ts'
import { stored } from './stored.ts'

export const domains = {
  name: 'domains',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: domainOperations,
  lookup: { domain: domainsByName },
  finders: {
    '/accounts/{id}/domains/{did}': (ctx, { id, did }) => ({ domain: domainsOf.find(ctx, id, did) }),
    '/accounts/{id}/domains/{did}/redirects/{rid}': (ctx, { did, rid }) => ({ redirect: findRedirect(ctx, did, rid) }),
  },
  jobs: (runtime, { host }) => domainJobs({ runtime, client: host }),
  ofAccount: { ...ofAccount, host: { web: webHost }, backup },
  stored,
} satisfies Area
