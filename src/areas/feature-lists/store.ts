import { and, count, eq, getTableColumns, or, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { featureNames } from '../../contract/common.ts'
import type { FeatureList } from '../../contract/feature-lists.ts'
import { notFound } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import { contains, exactFirst, offsetOf } from '../../runtime/list.ts'
import { getSetting } from '../../runtime/settings.ts'
import { type FeatureListRow, featureLists } from './tables.ts'

type Full = FeatureListRow & { package_count: number }

const selection = {
  ...getTableColumns(featureLists),
  // Named in full: of one table drizzle writes columns bare, and a bare id would be the package's.
  package_count: sql<number>`(SELECT count(*) FROM packages AS held WHERE held.feature_list_id = feature_lists.id)`,
}

/** A feature list by id, or root's by name. */
export function findFeatureList(ctx: Context, id: string): Full {
  const root = getSetting(ctx.db, 'root_id')!
  const named = and(eq(featureLists.name, id), eq(featureLists.owner_id, root))
  const found = ctx.db
    .select(selection)
    .from(featureLists)
    .where(or(eq(featureLists.id, id), named))
    .get()
  if (!found) throw notFound('feature list')
  return found
}

export function listFeatureLists(ctx: Context, query: { page: number; per_page: number; q?: string | undefined }) {
  const where = query.q ? contains(featureLists.name, query.q) : undefined
  const order = query.q ? [exactFirst(featureLists.name, query.q), featureLists.id] : [featureLists.id]
  const rows = ctx.db
    .select(selection)
    .from(featureLists)
    .where(where)
    .orderBy(...order)
    .limit(query.per_page)
    .offset(offsetOf(query))
    .all()
  const total = ctx.db.select({ total: count() }).from(featureLists).where(where).get()!.total
  return { items: rows.map(toFeatureList), total }
}

export function toFeatureList(row: Full): z.infer<typeof FeatureList> {
  const features = Object.fromEntries(featureNames.map((name) => [name, row.features[name] ?? true]))
  const { id, name, owner_id, package_count, created_at, updated_at } = row
  return { id, name, owner_id, features, package_count, created_at, updated_at }
}
