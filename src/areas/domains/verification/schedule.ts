import { day, hour, minute } from '../../../shared/time.ts'

/** After the first look, in milliseconds from the creation. */
const early = [1, 5, 15, 60].map((minutes) => minutes * minute)

/** When an unverified domain is looked at again. */
export function nextLook(started: number, now: number): number {
  const age = now - started
  const soon = early.find((after) => after > age)
  if (soon !== undefined) return started + soon
  if (age < 7 * day) return now + hour
  return now + (age < 90 * day ? day : 7 * day)
}

/** How often what verified a domain is looked at. */
export const RELOOK_INTERVAL_MS = 7 * day
/** How often the public mail servers of a zone that is served elsewhere are looked at. */
export const ROUTING_INTERVAL_MS = hour
export const UPGRADE_INTERVAL_MS = day
/** How long a proof may be missing before a notice, and before the domain is unverified. */
export const MISSING_NOTICE_MS = 14 * day
export const MISSING_LIMIT_MS = 30 * day
export const UPGRADE_LIMIT_MS = 30 * day
export const RELEASED_LIMIT_MS = 30 * day
/** Before a notice about a domain without mailboxes. */
export const NOTICE_DELAY_MS = day
/** Between looks that others trigger. */
export const MIN_LOOK_INTERVAL_MS = minute
/** The fallback if no job reports that a creation has ended. */
export const FIRST_LOOK_LIMIT_MS = 10 * minute
export const CLAIM_LIMIT_MS = hour
