import type { Area } from '../../runtime/areas/area.ts'
import { firewallJob } from './jobs.ts'
import { migrations } from './migrations.ts'
import { firewallOperations } from './operations.ts'
import { findRule } from './store.ts'
import { startFirewall } from './sync.ts'
import type { FirewallRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/firewall/rules/{rid}': { rule: FirewallRow }
  }
}

export const firewall = {
  name: 'firewall',
  handlers: firewallOperations,
  finders: { '/firewall/rules/{rid}': (ctx, { rid }) => ({ rule: findRule(ctx, rid) }) },
  jobs: (runtime) => [firewallJob({ runtime })],
  start: startFirewall,
  stored: { migrations },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
