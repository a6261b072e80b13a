import { and, asc } from 'drizzle-orm'
import { seenPackages } from '../feature-lists/visible-packages.ts'
import { matching } from '../lookup/match.ts'
import type { LookupSource } from '../lookup/source.ts'
import { packages } from './tables.ts'

/** The packages that the actor can use. */
export const packagesByName: LookupSource = (ctx, query, { limit }) =>
  ctx.db
    .select({ id: packages.id, name: packages.name })
    .from(packages)
    .where(and(matching(packages.name, query), seenPackages(ctx)))
    .orderBy(asc(packages.name), asc(packages.id))
    .limit(limit)
    .all()
