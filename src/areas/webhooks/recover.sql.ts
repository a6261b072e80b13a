import type Database from 'better-sqlite3'
import type { Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'
import { furthest } from './schedule.ts'

// By hand: one statement over all that was under way, with expressions that drizzle cannot say.

/** Each by an index of its own, or every delivery there ever was would be read. */
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
  shiftUnderWay: sqlite.prepare(shifting('sent')),
}))

/**
 * What an earlier process had under way is due at once: no one knows whether it arrived. Its number stays used, and
 * its log says so. One process owns the store, so nothing of it can still be running. The clock may have been set back
 * since: nothing then waits longer than its schedule says.
 */
export function recover(runtime: Runtime): number {
  const { note, reclaim, clamp } = queries(runtime.store.sqlite)
  const now = runtime.clock.now()
  note.run()
  const { changes } = reclaim.run({ now })
  clamp.run({ now, furthest: JSON.stringify(furthest) })
  return changes
}

/** A clock that was set back must not hold up what is due, nor what follows an attempt that is under way. */
export function shiftBack(runtime: Runtime, by: number): void {
  const { shiftDue, shiftUnderWay } = queries(runtime.store.sqlite)
  shiftDue.run({ by })
  shiftUnderWay.run({ by })
}
