import type { Area } from '../../runtime/area.ts'
import { ofAccount } from './account.ts'
import { webHost } from './host.ts'
import { domainJobs } from './jobs.ts'
import { domainsByName } from './lookup.ts'
import { domainOperations } from './operations.ts'
import { domainsOf } from './store.ts'
import { stored } from './stored.ts'

export const domains = {
  name: 'domains',
  handlers: domainOperations,
  lookup: { domain: domainsByName },
  finders: {
    '/accounts/{id}/domains/{did}': (ctx, { id, did }) => ({ domain: domainsOf.find(ctx, id, did) }),
  },
  jobs: (runtime, { host }) => domainJobs({ runtime, client: host }),
  ofAccount: { ...ofAccount, host: { web: webHost } },
  stored,
} satisfies Area
