import { eq, sql } from 'drizzle-orm'
import type { Feature } from '../../contract/common.ts'
import type { Context } from '../../runtime/context.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { featureLists } from '../feature-lists/tables.ts'
import { packages } from '../packages/tables.ts'
import { accounts } from './tables.ts'

const queries = prepared((db: Db) => ({
  ofAccount: db
    .select({ features: featureLists.features })
    .from(accounts)
    .innerJoin(packages, eq(packages.id, accounts.package_id))
    .innerJoin(featureLists, eq(featureLists.id, packages.feature_list_id))
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
}))

/** Whether the account's feature list has the feature on. */
export const hasFeature = (ctx: Context, accountId: string, feature: Feature): boolean =>
  queries(ctx.db).ofAccount.get({ id: accountId })?.features[feature] ?? true
