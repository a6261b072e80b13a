import type { Area } from '../../runtime/area.ts'
import { aclOperations, findAcl } from './acls.ts'
import { resellerOperations } from './operations.ts'
import { findReseller } from './store.ts'

export const resellers = {
  name: 'resellers',
  handlers: { ...resellerOperations, ...aclOperations },
  finders: {
    '/resellers/{id}': (ctx, { id }) => findReseller(ctx, id!),
    '/acls/{id}': (ctx, { id }) => findAcl(ctx, id!),
  },
} satisfies Area
