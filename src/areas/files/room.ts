import { Problem } from '../../contract/problem.ts'
import { type FullAccount, wholeAccount } from '../accounts/store.ts'
import type { OfAccount } from './of-account.ts'

const mebibyte = 1024 * 1024

/** How many bytes the account may still write, as far as its home was measured; nothing where it has no quota. */
export const roomOf = (ctx: OfAccount): { room?: number } => roomIn(wholeAccount(ctx))

export function roomIn({ disk_quota_mb: quota, disk_used_mb: used }: FullAccount): { room?: number } {
  return quota === null ? {} : { room: Math.max(0, quota - used) * mebibyte }
}

/** 409 `limit-reached` for what would not fit. */
export function refuseBeyondQuota(ctx: OfAccount, size: number): void {
  const { room = size } = roomOf(ctx)
  if (size <= room) return
  const message = `has room for ${room} more bytes`
  throw new Problem('limit-reached', `disk_quota_mb: ${message}`, { disk_quota_mb: message })
}
