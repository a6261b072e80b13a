import type { Area } from '../../runtime/area.ts'
import { makeMainIp } from './first.ts'
import { ipOperations } from './operations.ts'
import { findIp } from './store.ts'

export const ips = {
  name: 'ips',
  handlers: ipOperations,
  finders: { '/ips/{id}': (ctx, { id }) => findIp(ctx, id!) },
  first: makeMainIp,
  stored: { essential: ['ips'] },
} satisfies Area
