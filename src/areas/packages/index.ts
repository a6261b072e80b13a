import type { Area } from '../../runtime/areas/area.ts'
import { makeDefaultPackage } from './first.ts'
import { packagesByName } from './lookup.ts'
import { migrations } from './migrations.ts'
import { packageOperations } from './operations.ts'
import type { FullPackage } from './store.ts'
import { findPackage } from './store.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/packages/{id}': { plan: FullPackage }
  }
}

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    default_package_id: string
  }
}

export const packages = {
  name: 'packages',
  handlers: packageOperations,
  lookup: { package: packagesByName },
  finders: { '/packages/{id}': (ctx, { id }) => ({ plan: findPackage(ctx, id) }) },
  first: makeDefaultPackage,
  stored: { migrations, essential: ['packages'] },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
