import { type CountName, counted } from '../../../contract/accounts.ts'
import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { partsOf } from '../objects/part.ts'
import { accountById } from '../store.ts'

export const countNames = Object.keys(counted) as CountName[]

/** How many of something an account has; 0 if no area counts it. */
export const countOf = (ctx: Context, name: CountName, accountId: string): number =>
  partsOf(ctx.runtime).reduce((sum, { counts }) => sum + (counts?.[name]?.(ctx.db, accountId) ?? 0), 0)

/** 409 `limit-reached` if one more would exceed the limit; inside the change that inserts it. */
export function refuseOneMore(ctx: Context, name: CountName, accountId: string): void {
  const field = counted[name]
  const limit = accountById(ctx.db, accountId)![field]
  const used = countOf(ctx, name, accountId)
  if (limit === null || used < limit) return
  const what = name.replaceAll('_', ' ')
  throw new Problem('limit-reached', `The account has ${used} of ${limit} ${what}.`, {
    [field]: `${used} of ${limit} ${what} are in use`,
  })
}
