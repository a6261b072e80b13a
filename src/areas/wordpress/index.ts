import type { Area } from '../../runtime/areas/area.ts'
import { useOutgoing } from './install/source.ts'
import { purpose } from './install/store.ts'
import { wordpressJobs } from './jobs.ts'
import { removeLinks } from './links.ts'
import { migrations } from './migrations.ts'
import { wordpressOperations } from './operations.ts'
import { scanAllSoon, scanDaily } from './scan.ts'
import { sitesOf, sitesOfDomain } from './store.ts'
import type { WordpressRow } from './tables.ts'
import { removeUpdates } from './update/expire.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/wordpress/{wid}': { wordpress: WordpressRow }
  }
}

export const wordpress = {
  name: 'wordpress',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: wordpressOperations,
  finders: {
    '/accounts/{id}/wordpress/{wid}': (ctx, { id, wid }) => ({ wordpress: sitesOf.find(ctx, id, wid) }),
  },
  settings: { wordpress_source: null },
  jobs: (runtime, { host, outgoing }) => {
    useOutgoing(runtime, outgoing)
    return wordpressJobs(runtime, host)
  },
  lanes: { wordpress: 3 },
  ofDomain: { runsWordpress: (db, { id }) => sitesOfDomain(db, id).length > 0 },
  ofAccount: {
    filesRestored: async ({ store }, _client, { id }) => {
      return () => store.change(() => scanAllSoon(store.db, id))
    },
  },
  start: (runtime, outside) => {
    const engines = [scanDaily, removeLinks, removeUpdates].map((begin) => begin(runtime, outside))
    return { stop: async () => void (await Promise.all(engines.map((one) => one.stop()))) }
  },
  stored: { migrations, sealed: [{ table: 'wordpress_installs', column: 'settings', purpose }] },
} satisfies Area
