import type Database from 'better-sqlite3'
import type { Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'
import { longestStep } from './schedule.ts'

// By hand: one statement over all that was under way, with expressions that drizzle cannot say.

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
  clamp: sqlite.prepare('UPDATE deliveries SET retry_at = @latest WHERE due_at IS NOT NULL AND retry_at > @latest'),
  shift: sqlite.prepare(
    'UPDATE deliveries SET retry_at = retry_at - @by, asked_at = asked_at - @by WHERE due_at IS NOT NULL',
  ),
}))

/**
 * What an earlier process had under way is due at once: no one knows whether it arrived. Its number stays used, and
 * its log says so. One process owns the store, so nothing of it can still be running.
 */
export function recover(runtime: Runtime): number {
  const { note, reclaim, clamp } = queries(runtime.store.sqlite)
  const now = runtime.clock.now()
  note.run()
  clamp.run({ latest: now + longestStep })
  return reclaim.run({ now }).changes
}

/** A clock that was set back must not hold up what is due. */
export function shiftBack(runtime: Runtime, by: number): void {
  queries(runtime.store.sqlite).shift.run({ by })
}
