import { eq, sql } from 'drizzle-orm'
import { type Feature, featureNames } from '../../../contract/common.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { featureLists } from '../../feature-lists/tables.ts'
import { packages } from '../../packages/tables.ts'
import { partsOf } from '../objects/part.ts'
import type { FullAccount } from '../store.ts'
import { accounts } from '../tables.ts'

const queries = prepared((db: Db) => ({
  ofAccount: db
    .select({ features: featureLists.features })
    .from(accounts)
    .innerJoin(packages, eq(packages.id, accounts.package_id))
    .innerJoin(featureLists, eq(featureLists.id, packages.feature_list_id))
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
}))

/** The feature list's switches; a feature that is not listed is on. */
const switchesOf = ({ db }: Context, accountId: string) => queries(db).ofAccount.get({ id: accountId })?.features

/** Whether the account's feature list enables the feature. */
export const hasFeature = (ctx: Context, accountId: string, feature: Feature): boolean =>
  switchesOf(ctx, accountId)?.[feature] ?? true

/** Every feature, whether the account has it, and what its host lacks. */
export function featuresOf(ctx: Context, account: FullAccount) {
  const switches = switchesOf(ctx, account.id)
  const lacking = new Set(partsOf(ctx.runtime).flatMap(({ unavailable }) => unavailable?.(ctx, account) ?? []))
  return featureNames.map((name) => ({
    name,
    enabled: switches?.[name] ?? true,
    ...(lacking.has(name) && { available: false as const }),
  }))
}
