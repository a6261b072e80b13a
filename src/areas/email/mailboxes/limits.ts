import { Problem } from '../../../contract/problem.ts'
import type { FullAccount } from '../../accounts/store.ts'

type MailboxLimits = Pick<FullAccount, 'default_email_quota_mb' | 'max_email_quota_mb' | 'max_email_per_hour'>
type LimitInput = number | null | undefined

function refuseAbove(field: string, input: number | null, max: number | null, unit: string): void {
  if (max === null || (input !== null && input <= max)) return
  const message = input === null ? `must be at most ${max}${unit}, not unlimited` : `must be at most ${max}${unit}`
  throw new Problem('limit-reached', `${field}: ${message}`, { [field]: message })
}

/** 409 `limit-reached` for a quota above the account's maximum. */
export const refuseQuota = (account: MailboxLimits, quota: number | null): void =>
  refuseAbove('quota_mb', quota, account.max_email_quota_mb, ' MB')

/** 409 `limit-reached` for an hourly recipient limit above the account's. */
export function refuseRate(account: MailboxLimits, rate: LimitInput): void {
  if (typeof rate === 'number') refuseAbove('max_per_hour', rate, account.max_email_per_hour, '')
}

/** With a default of 0, each mailbox needs a quota of its own. */
export const missingQuota = ({ default_email_quota_mb: defaultQuota }: MailboxLimits, input: number | undefined) =>
  input === undefined && defaultQuota === 0 ? 'is required: the default quota of this account is 0' : undefined

/** A new mailbox's quota: the requested one, else the default, else the maximum. */
export function quotaOf(account: MailboxLimits, input: number | undefined): number | null {
  const { default_email_quota_mb: defaultQuota, max_email_quota_mb: max } = account
  const quota = input ?? (defaultQuota !== null && max !== null ? Math.min(defaultQuota, max) : (defaultQuota ?? max))
  refuseQuota(account, quota === 0 ? null : quota)
  return quota
}
