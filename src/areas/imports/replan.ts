import type { Context } from '../../runtime/operations/context.ts'
import { MS_PER_CHARACTER, spend } from './effort.ts'
import { type ImportPlan, planImport } from './plan/plan.ts'
import { sourceOf } from './store.ts'
import type { ImportRow } from './tables.ts'

/** The plan of what was read, by the options of the import and what this server has now. */
export function planOf(ctx: Context, row: ImportRow): ImportPlan {
  const { options, owner_id: owner } = row
  spend(ctx, owner, row.source!.length * MS_PER_CHARACTER)
  return planImport({ ctx, source: sourceOf(ctx.runtime, row)!, options, owner })
}

/** What the plan makes of the row. */
export function replan(ctx: Context, row: ImportRow): Partial<ImportRow> {
  const { items, isBlocked, account } = planOf(ctx, row)
  return {
    report: items,
    status: isBlocked ? 'blocked' : 'ready',
    username: account.username,
    main_domain: account.mainDomain,
  }
}
