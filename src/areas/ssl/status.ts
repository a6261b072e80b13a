import { day } from '../../shared/time.ts'

interface Lifetime {
  readonly not_before: number
  readonly not_after: number
}

/** A certificate expires soon this long before its end, or a sixth of its lifetime. */
export const soon = 14 * day

/** Whether it is still good, or soon no longer. */
export function statusOf({ not_before, not_after }: Lifetime, now: number): 'valid' | 'expiring' | 'expired' {
  const remaining = not_after - now
  if (remaining <= 0) return 'expired'
  return remaining <= Math.min(soon, (not_after - not_before) / 6) ? 'expiring' : 'valid'
}
