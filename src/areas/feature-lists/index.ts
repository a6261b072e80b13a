import type { Area } from '../../runtime/area.ts'
import { makeDefaultFeatureList } from './first.ts'
import { featureListOperations } from './operations.ts'
import { findFeatureList } from './store.ts'

export const featureLists = {
  name: 'feature-lists',
  handlers: featureListOperations,
  finders: { '/feature-lists/{id}': (ctx, { id }) => findFeatureList(ctx, id!) },
  first: makeDefaultFeatureList,
  stored: { essential: ['feature_lists'] },
} satisfies Area
