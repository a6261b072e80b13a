import type { Area } from '../../runtime/areas/area.ts'
import { testJob, updateJob } from './jobs.ts'
import { migrations } from './migrations.ts'
import { relayOperations } from './operations.ts'
import { findRelay, hostRelay, purpose, relayOfServer } from './store.ts'
import type { RelayRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/smtp-relays/{rid}': { relay: RelayRow }
  }
}

/** Mail servers of others that take outgoing mail. */
export const relays = {
  name: 'relays',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: relayOperations,
  finders: { '/smtp-relays/{rid}': (ctx, { rid }) => ({ relay: findRelay(ctx, rid) }) },
  jobs: (runtime, { host: client }) => [updateJob({ runtime, client }), testJob({ runtime, client })],
  ofMachine(runtime) {
    const row = relayOfServer(runtime.store.db)
    return row ? { relay: hostRelay(runtime, row) } : {}
  },
  stored: { migrations, sealed: [{ table: 'mail_relays', column: 'password', purpose }] },
} satisfies Area
