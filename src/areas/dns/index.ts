import type { Area } from '../../runtime/areas/area.ts'
import { fillZones } from './backfill.ts'
import { backup } from './backup.ts'
import { beginDiscovery } from './discovery.ts'
import { ofAccount, ofDomain } from './hooks.ts'
import { dnsHost } from './host.ts'
import { dnsJobs } from './jobs.ts'
import { zonesByName } from './lookup.ts'
import { dnsOperations } from './operations.ts'
import { followZones } from './peers/follow.ts'
import { forgetReported } from './peers/forget.ts'
import { peersOfServer } from './peers/host.ts'
import { peerOperations } from './peers/operations.ts'
import { followSecondaries, secondaryJob } from './peers/secondaries.ts'
import { findPeer } from './peers/store.ts'
import type { PeerRow } from './peers/tables.ts'
import { serveJob } from './served/serve.ts'
import { oweGone } from './served/store.ts'
import { findRecord, zonesOf } from './store.ts'
import { stored } from './stored.ts'
import type { RecordRow, ZoneRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/nodes/dns-peers/{id}': { peer: PeerRow }
    '/accounts/{id}/dns/zones/{zid}': { zone: ZoneRow }
    '/accounts/{id}/dns/zones/{zid}/records/{rid}': { record: RecordRow }
  }
}

export const dns = {
  name: 'dns',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: { ...dnsOperations, ...peerOperations },
  lookup: { zone: zonesByName },
  finders: {
    '/nodes/dns-peers/{id}': (ctx, { id }) => ({ peer: findPeer(ctx, id) }),
    '/accounts/{id}/dns/zones/{zid}': (ctx, { id, zid }) => ({ zone: zonesOf.find(ctx, id, zid) }),
    '/accounts/{id}/dns/zones/{zid}/records/{rid}': (ctx, { zid, rid }) => ({ record: findRecord(ctx, zid, rid) }),
  },
  jobs: (runtime, { host, fleet }) => [
    ...dnsJobs({ runtime, client: host }),
    serveJob(runtime, fleet),
    secondaryJob(runtime, fleet),
  ],
  ofAccount: { ...ofAccount, host: { dns: (_db, account, runtime) => dnsHost(runtime, account) }, backup },
  ofDomain,
  ofServer: peersOfServer,
  onServerState: followSecondaries,
  onEvent: (runtime, { type }) => (type.startsWith('job.') || type === 'node.joined') && followZones(runtime),
  onJob: followZones,
  nodeChanged: followZones,
  nodeSwept: forgetReported,
  unknownAccounts: oweGone,
  prepare: fillZones,
  start: beginDiscovery,
  stored,
} satisfies Area
