import type { Area } from '../../runtime/areas/area.ts'
import { makeDefaultFeatureList } from './first.ts'
import { migrations } from './migrations.ts'
import { featureListOperations } from './operations.ts'
import type { FullFeatureList } from './store.ts'
import { findFeatureList } from './store.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/feature-lists/{id}': { list: FullFeatureList }
  }
}

export const featureLists = {
  name: 'feature-lists',
  handlers: featureListOperations,
  finders: { '/feature-lists/{id}': (ctx, { id }) => ({ list: findFeatureList(ctx, id) }) },
  first: makeDefaultFeatureList,
  stored: { migrations, essential: ['feature_lists'] },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
