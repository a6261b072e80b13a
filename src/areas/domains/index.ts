import type { Area } from '../../runtime/areas/area.ts'
import { localNode } from '../../shared/node-name.ts'
import { ofAccount } from './account.ts'
import { backup } from './backup.ts'
import { phpHost, webHost } from './host.ts'
import { defaultHandlerOf, rememberHosts } from './hosts.ts'
import { watchHtaccess } from './htaccess/watch.ts'
import { domainJobs } from './jobs.ts'
import { domainsByName } from './lookup.ts'
import { domainOperations } from './operations.ts'
import { endPreviews, endWithSuspension } from './preview/end.ts'
import { previewNameChanged } from './preview/settings.ts'
import { findRedirect } from './redirects.ts'
import { domainsOf } from './store.ts'
import { stored } from './stored.ts'
import { claimKind } from './verification/claim.ts'
import { Looks } from './verification/engine.ts'
import { verifyKind } from './verification/job.ts'
import { watchRefused } from './verification/refused.ts'
import { startUpgrade } from './verification/upgrade.ts'
import { findException } from './waf/operations.ts'
import { wafDefaultChanged, wafSettings } from './waf/rules.ts'

export const domains = {
  name: 'domains',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: domainOperations,
  settings: { default_handler: (runtime) => defaultHandlerOf(runtime, localNode), ...wafSettings },
  settingsChanged(ctx, changed) {
    previewNameChanged(ctx, changed)
    wafDefaultChanged(ctx, changed)
  },
  onEvent: endWithSuspension,
  lookup: { domain: domainsByName },
  finders: {
    '/accounts/{id}/domains/{did}': (ctx, { id, did }) => ({ domain: domainsOf.find(ctx, id, did) }),
    '/accounts/{id}/domains/{did}/redirects/{rid}': (ctx, { did, rid }) => ({ redirect: findRedirect(ctx, did, rid) }),
    '/accounts/{id}/domains/{did}/waf/exceptions/{xid}': (ctx, { id, did, xid }) => ({
      exception: findException(domainsOf.find(ctx, id, did), xid),
    }),
  },
  jobs(runtime, { host, fleet, lookups }) {
    rememberHosts(runtime, fleet)
    return [
      ...domainJobs({ runtime, client: host }),
      verifyKind({ runtime, client: host }, lookups),
      claimKind(runtime, lookups),
    ]
  },
  lanes: { verify: 3 },
  prepare: startUpgrade,
  start(runtime, outside) {
    const looks = new Looks(runtime, outside)
    const others = [watchRefused(runtime, outside.host), endPreviews(runtime), watchHtaccess(runtime, outside)]
    const stop = async () => void (await Promise.all([looks, ...others].map((one) => one.stop())))
    return { hold: () => looks.hold(), stop }
  },
  ofAccount: { ...ofAccount, host: { web: webHost, php: phpHost }, backup },
  stored,
} satisfies Area
