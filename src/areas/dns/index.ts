import type { Area } from '../../runtime/area.ts'
import { backup } from './backup.ts'
import { fillZones } from './begin.ts'
import { ofAccount, ofDomain } from './hooks.ts'
import { dnsHost } from './host.ts'
import { dnsJobs } from './jobs.ts'
import { zonesByName } from './lookup.ts'
import { dnsOperations } from './operations.ts'
import { findRecord, zonesOf } from './store.ts'
import { stored } from './stored.ts'
import type { RecordRow, ZoneRow } from './tables.ts'

declare module '../../runtime/found.ts' {
  interface Found {
    '/accounts/{id}/dns/zones/{zid}': { zone: ZoneRow }
    '/accounts/{id}/dns/zones/{zid}/records/{rid}': { record: RecordRow }
  }
}

export const dns = {
  name: 'dns',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: dnsOperations,
  lookup: { zone: zonesByName },
  finders: {
    '/accounts/{id}/dns/zones/{zid}': (ctx, { id, zid }) => ({ zone: zonesOf.find(ctx, id, zid) }),
    '/accounts/{id}/dns/zones/{zid}/records/{rid}': (ctx, { zid, rid }) => ({ record: findRecord(ctx, zid, rid) }),
  },
  jobs: (runtime, { host }) => dnsJobs({ runtime, client: host }),
  ofAccount: { ...ofAccount, host: { dns: (_db, account, runtime) => dnsHost(runtime, account) }, backup },
  ofDomain,
  prepare: fillZones,
  stored,
} satisfies Area
