import { Problem } from '../../../contract/problem.ts'
import type { FullAccount } from '../../accounts/store.ts'

type Limits = Pick<FullAccount, 'default_email_quota_mb' | 'max_email_quota_mb' | 'max_email_per_hour'>
type Given = number | null | undefined

function refuseAbove(field: string, given: number | null, most: number | null, unit: string): void {
  if (most === null || (given !== null && given <= most)) return
  const message = given === null ? `must be at most ${most}${unit}, not unlimited` : `must be at most ${most}${unit}`
  throw new Problem('limit-reached', `${field}: ${message}`, { [field]: message })
}

/** 409 `limit-reached` for a quota above the account's maximum. */
export const refuseQuota = (account: Limits, quota: number | null): void =>
  refuseAbove('quota_mb', quota, account.max_email_quota_mb, ' MB')

/** 409 `limit-reached` for an hourly recipient limit above the account's. */
export function refuseRate(account: Limits, rate: Given): void {
  if (typeof rate === 'number') refuseAbove('max_per_hour', rate, account.max_email_per_hour, '')
}

/** With a default of 0, each mailbox needs a quota of its own. */
export const missingQuota = ({ default_email_quota_mb: usual }: Limits, given: number | undefined) =>
  given === undefined && usual === 0 ? 'is required: the default quota of this account is 0' : undefined

/** A new mailbox's quota: the requested one, else the default, else the maximum. */
export function quotaOf(account: Limits, given: number | undefined): number | null {
  const { default_email_quota_mb: usual, max_email_quota_mb: most } = account
  const quota = given ?? (usual !== null && most !== null ? Math.min(usual, most) : (usual ?? most))
  refuseQuota(account, quota === 0 ? null : quota)
  return quota
}
