import { and, asc } from 'drizzle-orm'
import { matching } from '../lookup/match.ts'
import type { Source } from '../lookup/source.ts'
import { visible } from './store.ts'
import { packages } from './tables.ts'

/** The packages that the actor may use. */
export const packagesByName: Source = (ctx, wanted, { limit }) =>
  ctx.db
    .select({ id: packages.id, name: packages.name })
    .from(packages)
    .where(and(matching(packages.name, wanted), visible(ctx)))
    .orderBy(asc(packages.name), asc(packages.id))
    .limit(limit)
    .all()
