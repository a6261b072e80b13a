import type Database from 'better-sqlite3'
import type { Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'
import { furthest } from './schedule.ts'

// By hand: one statement over everything in flight, with expressions that drizzle cannot build.

/** Each uses its own index, or every delivery would be read. */
const shifting = (what: 'due' | 'sent'): string =>
  `UPDATE deliveries INDEXED BY deliveries_${what} SET retry_at = retry_at - @by, asked_at = asked_at - @by
   WHERE ${what}_at IS NOT NULL`

const queries = prepared((sqlite: Database.Database) => ({
  note: sqlite.prepare(
    `INSERT INTO delivery_attempts (delivery_id, number, at, duration_ms, error)
     SELECT id, number, sent_at, 0, 'interrupted' FROM deliveries WHERE sent_at IS NOT NULL`,
  ),
  reclaim: sqlite.prepare(
    `UPDATE deliveries SET sent_at = NULL, flight = NULL,
       step = step - (flight = 'schedule'),
       retry_at = iif(flight = 'schedule' AND status <> 'skipped', @now, retry_at),
       asked_at = iif(flight = 'asked', @now, asked_at)
     WHERE sent_at IS NOT NULL`,
  ),
  clamp: sqlite.prepare(
    `UPDATE deliveries SET asked_at = min(asked_at, @now), retry_at = min(retry_at, @now + (@furthest ->> step))
     WHERE due_at IS NOT NULL AND (asked_at > @now OR retry_at > @now + (@furthest ->> step))`,
  ),
  shiftDue: sqlite.prepare(shifting('due')),
  shiftSent: sqlite.prepare(shifting('sent')),
}))

/**
 * Makes everything an earlier process had in flight due at once: it may or may not have arrived. The attempt's number
 * stays used, and its log says so. One process owns the store, so nothing of it can still be running. If the clock was
 * set back since, nothing waits longer than its schedule says.
 */
export function recover(runtime: Runtime): number {
  const { note, reclaim, clamp } = queries(runtime.store.sqlite)
  const now = runtime.clock.now()
  note.run()
  const { changes } = reclaim.run({ now })
  clamp.run({ now, furthest: JSON.stringify(furthest) })
  return changes
}

/** A clock that was set back must not delay what is due, nor what follows an attempt in flight. */
export function shiftBack(runtime: Runtime, by: number): void {
  const { shiftDue, shiftSent } = queries(runtime.store.sqlite)
  shiftDue.run({ by })
  shiftSent.run({ by })
}
