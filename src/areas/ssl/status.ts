import { day } from '../../shared/time.ts'

interface Lifetime {
  readonly not_before: number
  readonly not_after: number
}

/** Whether it is still good, or soon no longer. */
export function statusOf({ not_before, not_after }: Lifetime, now: number): 'valid' | 'expiring' | 'expired' {
  const remaining = not_after - now
  if (remaining <= 0) return 'expired'
  return remaining <= Math.min(14 * day, (not_after - not_before) / 6) ? 'expiring' : 'valid'
}
