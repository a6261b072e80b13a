import { and, eq } from 'drizzle-orm'
import { featureNames, features } from '../../contract/common.ts'
import type * as declared from '../../contract/feature-lists.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { listFeatureLists as list, toFeatureList } from './store.ts'
import { featureLists } from './tables.ts'

const listFeatures: Handler<typeof declared.listFeatures> = {
  handle: () => ({ items: featureNames.map((name) => ({ name, description: features[name] })) }),
}

const listFeatureLists: Handler<typeof declared.listFeatureLists> = { handle: (ctx, { query }) => list(ctx, query) }

const createFeatureList: Handler<typeof declared.createFeatureList> = {
  handle(ctx, { body }) {
    const owner_id = getSetting(ctx.db, 'root_id')!
    refuseTakenName(ctx, owner_id, body.name)
    const id = ctx.id()
    const row = {
      id,
      name: body.name,
      owner_id,
      features: body.features ?? {},
      created_at: ctx.now,
      updated_at: ctx.now,
    }
    ctx.db.insert(featureLists).values(row).run()
    ctx.note({ object_id: id, after: body })
    return toFeatureList({ ...row, package_count: 0 })
  },
}

const getFeatureList: Handler<typeof declared.getFeatureList> = {
  handle: ({ found }) => toFeatureList(found.list),
}

const updateFeatureList: Handler<typeof declared.updateFeatureList> = {
  handle(ctx, { body }) {
    const before = ctx.found.list
    if (before.name === 'default' && body.name !== undefined && body.name !== before.name)
      throw invalid('name', 'must stay `default`: new packages use the list with this name')
    if (body.name !== undefined) refuseTakenName(ctx, before.owner_id, body.name, before.id)
    const values = {
      name: body.name ?? before.name,
      features: { ...before.features, ...body.features },
      updated_at: ctx.now,
    }
    ctx.db.update(featureLists).set(values).where(eq(featureLists.id, before.id)).run()
    ctx.note({ object_id: before.id, before: { name: before.name, features: before.features }, after: body })
    return toFeatureList({ ...before, ...values })
  },
}

const deleteFeatureList: Handler<typeof declared.deleteFeatureList> = {
  handle(ctx) {
    const found = ctx.found.list
    if (found.package_count > 0)
      throw new Problem(
        'in-use',
        `${found.package_count} packages use the feature list ${found.name}; give them another first.`,
      )
    if (found.name === 'default')
      throw new Problem('in-use', 'The default feature list cannot be deleted: new packages use it.')
    ctx.db.delete(featureLists).where(eq(featureLists.id, found.id)).run()
    ctx.note({ object_id: found.id, before: { name: found.name } })
    return undefined
  },
}

function refuseTakenName(ctx: Context, owner_id: string, name: string, self?: string): void {
  const same = ctx.db
    .select({ id: featureLists.id })
    .from(featureLists)
    .where(and(eq(featureLists.owner_id, owner_id), eq(featureLists.name, name)))
    .get()
  if (same && same.id !== self)
    throw new Problem('exists', `A feature list named ${name} already exists.`, { name: 'is taken; choose another' })
}

export const featureListOperations = {
  listFeatures,
  listFeatureLists,
  createFeatureList,
  getFeatureList,
  updateFeatureList,
  deleteFeatureList,
}
