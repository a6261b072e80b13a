import type { Area } from '../../runtime/areas/area.ts'
import { makeMainIp } from './first.ts'
import { migrations } from './migrations.ts'
import { ipOperations } from './operations.ts'
import type { FullIp } from './store.ts'
import { findIp } from './store.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/ips/{id}': { ip: FullIp }
  }
}

export const ips = {
  name: 'ips',
  handlers: ipOperations,
  finders: { '/ips/{id}': (ctx, { id }) => ({ ip: findIp(ctx, id) }) },
  first: makeMainIp,
  stored: { migrations, essential: ['ips'] },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
