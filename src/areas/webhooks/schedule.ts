import type { DeliveryStatus } from '../../contract/webhooks.ts'
import type { Flight } from './tables.ts'

const minute = 60_000
const hour = 60 * minute

/** The delay after each failed attempt (contract: Delivery behaviour). */
export const steps: readonly number[] = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour]
const jitter = 0.1
/** The longest delay of a retry, by the number of scheduled attempts made (from 0). */
export const furthest: readonly number[] = [0, ...steps.map((step) => Math.floor(step * (1 + jitter)))]

/** Milliseconds from the end of the failed attempt (from 1) to the next; undefined after the last. */
function delayAfter(step: number, random: number): number | undefined {
  const delay = steps[step - 1]
  return delay === undefined ? undefined : Math.floor(delay * (1 + jitter * random))
}

/** The state of a delivery. */
export interface FailureRecord {
  readonly status: DeliveryStatus
  /** Scheduled attempts made. */
  readonly step: number
  readonly retry_at: number | null
}

/** The state after an attempt. A requested redelivery can only make it succeed. */
export function after(record: FailureRecord, flight: Flight, ok: boolean, now: number, random: number): FailureRecord {
  if (ok) return { ...record, status: 'succeeded', retry_at: null }
  if (flight === 'asked' || record.status === 'skipped') return record
  const delay = delayAfter(record.step, random)
  if (delay === undefined) return { ...record, status: 'abandoned', retry_at: null }
  return { ...record, status: 'retrying', retry_at: now + delay }
}
