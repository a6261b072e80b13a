import type { Area } from '../../runtime/areas/area.ts'
import { signInFailed, signInSucceeded } from './failures.ts'
import { migrations } from './migrations.ts'
import { banOperations } from './operations.ts'
import { refuseSettings, settings } from './settings.ts'
import { findBan } from './store.ts'
import { startBans } from './sync.ts'
import type { BanRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/bans/{bid}': { ban: BanRow }
  }
}

export const bans = {
  name: 'bans',
  handlers: banOperations,
  settings,
  refuseSettings,
  finders: { '/bans/{bid}': (ctx, { bid }) => ({ ban: findBan(ctx, bid) }) },
  services: { signInFailed, signInSucceeded },
  start: startBans,
  stored: { migrations },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
