import { day } from '../../shared/time.ts'

interface Lifetime {
  readonly not_before: number
  readonly not_after: number
}

/** `expiring` begins this long before the end, or a sixth of the lifetime if that is less. */
export const soon = 14 * day

export function statusOf({ not_before, not_after }: Lifetime, now: number): 'valid' | 'expiring' | 'expired' {
  const remaining = not_after - now
  if (remaining <= 0) return 'expired'
  return remaining <= Math.min(soon, (not_after - not_before) / 6) ? 'expiring' : 'valid'
}
