import { and, eq, getTableColumns, or, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { featureNames } from '../../contract/common.ts'
import type { FeatureList } from '../../contract/feature-lists.ts'
import { notFound } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { page, type Search } from '../../store/page.ts'
import { type FeatureListRow, featureLists } from './tables.ts'
import { seenPackages } from './visible-packages.ts'

export type FullFeatureList = FeatureListRow & { package_count: number }

/** With the number of packages that have it, as far as the actor sees them. */
function selected(ctx: Context) {
  // Named in full: of one table drizzle writes columns bare, and a bare id would be the package's.
  const packageCount = sql`SELECT count(*) FROM packages WHERE feature_list_id = feature_lists.id AND ${seenPackages(ctx)}`
  const columns = { ...getTableColumns(featureLists), package_count: sql<number>`(${packageCount})` }
  return ctx.db.select(columns).from(featureLists)
}

const named = ({ db }: Context, name: string): SQL | undefined =>
  and(eq(featureLists.name, name), eq(featureLists.owner_id, getSetting(db, 'root_id')!))

/** Which lists the actor sees: a reseller `default` and those on packages that it sees. */
function visible(ctx: Context): SQL | undefined {
  if (isRoot(ctx.actor)) return undefined
  const used = sql`(SELECT feature_list_id FROM packages WHERE ${seenPackages(ctx)})`
  return or(named(ctx, 'default'), sql`${featureLists.id} IN ${used}`)
}

/** A feature list by id, or root's by name; 404 `not-found` when it is unknown or not the actor's to see. */
export function findFeatureList(ctx: Context, id: string): FullFeatureList {
  const matches = or(eq(featureLists.id, id), named(ctx, id))
  const found = selected(ctx)
    .where(and(matches, visible(ctx)))
    .get()
  if (!found) throw notFound('feature list')
  return found
}

export function listFeatureLists(ctx: Context, query: Search) {
  const rows = selected(ctx).$dynamic()
  const { id, name } = featureLists
  const { items, total } = page(ctx.db, { rows, table: featureLists, id, where: visible(ctx), name }, query)
  return { items: items.map(toFeatureList), total }
}

export function toFeatureList(row: FullFeatureList): z.infer<typeof FeatureList> {
  const features = Object.fromEntries(featureNames.map((name) => [name, row.features[name] ?? true]))
  const { id, name, owner_id, package_count, created_at, updated_at } = row
  return { id, name, owner_id, features, package_count, created_at, updated_at }
}
