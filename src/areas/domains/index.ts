import type { Area } from '../../runtime/areas/area.ts'
import { ofAccount } from './account.ts'
import { backup } from './backup.ts'
import { webHost } from './host.ts'
import { domainJobs } from './jobs.ts'
import { domainsByName } from './lookup.ts'
import { domainOperations } from './operations.ts'
import { findRedirect } from './redirects.ts'
import { domainsOf } from './store.ts'
import { stored } from './stored.ts'
import { claimKind } from './verification/claim.ts'
import { Looks } from './verification/engine.ts'
import { verifyKind } from './verification/job.ts'
import { watchRefused } from './verification/refused.ts'
import { startUpgrade } from './verification/upgrade.ts'

export const domains = {
  name: 'domains',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: domainOperations,
  lookup: { domain: domainsByName },
  finders: {
    '/accounts/{id}/domains/{did}': (ctx, { id, did }) => ({ domain: domainsOf.find(ctx, id, did) }),
    '/accounts/{id}/domains/{did}/redirects/{rid}': (ctx, { did, rid }) => ({ redirect: findRedirect(ctx, did, rid) }),
  },
  jobs: (runtime, { host, lookups }) => [
    ...domainJobs({ runtime, client: host }),
    verifyKind({ runtime, client: host }, lookups),
    claimKind(runtime, lookups),
  ],
  lanes: { verify: 3 },
  prepare: startUpgrade,
  start(runtime, outside) {
    const [looks, refused] = [new Looks(runtime, outside), watchRefused(runtime, outside.host)]
    return { hold: () => looks.hold(), stop: async () => void (await Promise.all([looks.stop(), refused.stop()])) }
  },
  ofAccount: { ...ofAccount, host: { web: webHost }, backup },
  stored,
} satisfies Area
