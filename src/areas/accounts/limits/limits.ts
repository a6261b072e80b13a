import { type Limit, limitNames } from '../../../contract/accounts.ts'
import { Problem } from '../../../contract/problem.ts'
import type { PackageRow } from '../../packages/tables.ts'
import type { AccountRow } from '../tables.ts'

export type AccountLimits = Pick<AccountRow, Limit>
type LimitChanges = Record<string, { from?: number; to?: number }>

/** The limits that a package grants. */
export function limitsOfPackage(plan: PackageRow): AccountLimits {
  const limits = Object.fromEntries(limitNames.map((name) => [name, name === 'inodes_limit' ? null : plan[name]]))
  return { ...(limits as AccountLimits), inodes_limit: plan.isolation?.inodes ?? null }
}

/** The limits that differ, with old and new value; an absent side is unlimited. */
export function changedLimits(before: AccountLimits, after: Partial<AccountLimits>): LimitChanges {
  const changes: LimitChanges = {}
  for (const name of limitNames) {
    const to = after[name]
    if (to === undefined || to === before[name]) continue
    const from = before[name]
    changes[name] = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
  }
  return changes
}

/**
 * 409 `limit-reached` if more disk space or inodes are in use than the new quota grants. Counts only block new objects.
 */
export function refuseBelowUse(account: AccountRow, limits: Partial<AccountLimits>): void {
  const fields: Record<string, string> = {}
  exceeds(account.disk_used_mb, limits.disk_quota_mb, 'disk_quota_mb', 'MB of disk', fields)
  exceeds(account.inodes_used, limits.inodes_limit, 'inodes_limit', 'inodes', fields)
  const problems = Object.values(fields)
  if (problems.length > 0) throw new Problem('limit-reached', `${account.username} ${problems.join(' and ')}.`, fields)
}

function exceeds(
  used: number,
  limit: number | null | undefined,
  field: string,
  what: string,
  fields: Record<string, string>,
): void {
  if (typeof limit === 'number' && used > limit)
    fields[field] = `uses ${used} ${what}, more than the new limit of ${limit}`
}
