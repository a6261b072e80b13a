import type { Area } from '../../runtime/areas/area.ts'
import { ownedByName } from '../accounts/operations/lookup.ts'
import { follow, ofAccount } from './account.ts'
import { stopWithAccount } from './active-deploys.ts'
import { refuseNetworks } from './git.ts'
import { appJobs } from './jobs/index.ts'
import { appOperations } from './operations.ts'
import { findRelease } from './releases/store.ts'
import { appsOf } from './store.ts'
import { stored } from './stored.ts'
import { type AppRow, type ReleaseRow, apps as table } from './tables.ts'
import { siteOfApp } from './unit.ts'
import { AppsWatch } from './watch.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/apps/{aid}': { app: AppRow }
    '/accounts/{id}/apps/{aid}/releases/{rid}': { release: ReleaseRow }
  }
}

export const apps = {
  name: 'apps',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: appOperations,
  settings: { git_networks: [] },
  refuseSettings: refuseNetworks,
  lookup: { app: ownedByName(table) },
  finders: {
    '/accounts/{id}/apps/{aid}': (ctx, { id, aid }) => ({ app: appsOf.find(ctx, id, aid) }),
    '/accounts/{id}/apps/{aid}/releases/{rid}': (ctx, { aid, rid }) => ({ release: findRelease(ctx, aid, rid) }),
  },
  jobs: (runtime, { host: client, outgoing }) => appJobs({ runtime, client, outgoing }),
  // Builds are slow: leave room for other areas' lanes.
  lanes: { app: 3 },
  ofAccount,
  ofDomain: {
    app: siteOfApp,
    uses: (_db, { app_id }) => ({ count: app_id ? 1 : 0, noun: 'app', remedy: 'give the domain another handler' }),
  },
  onJob: stopWithAccount,
  onEvent: follow,
  start: (runtime, { fleet }) => new AppsWatch(runtime, fleet),
  stored,
} satisfies Area
