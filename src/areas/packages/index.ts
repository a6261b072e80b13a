import type { Area } from '../../runtime/area.ts'
import { makeDefaultPackage } from './first.ts'
import { packagesByName } from './lookup.ts'
import { packageOperations } from './operations.ts'
import { findPackage } from './store.ts'

export const packages = {
  name: 'packages',
  handlers: packageOperations,
  lookup: { package: packagesByName },
  finders: { '/packages/{id}': (ctx, { id }) => findPackage(ctx, id!) },
  first: makeDefaultPackage,
  stored: { essential: ['packages'] },
} satisfies Area
