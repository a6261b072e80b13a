import type Database from 'better-sqlite3'
import type { AttemptError, DeliveryStatus } from '../../contract/webhooks.ts'
import { random } from '../../runtime/clock/ids.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'
import type { Claim } from './claim.sql.ts'
import { type FailureStreak, nextStreak } from './delinquency.ts'
import { after } from './schedule.ts'
import type { Flight } from './tables.ts'

// By hand: runs for each attempt; an update takes 5 µs instead of 200 with drizzle (bench/sql.ts).

/** An attempt's outcome. Without `error` it was delivered. */
export interface SettleOutcome {
  readonly at: number
  readonly duration_ms: number
  readonly http_status?: number
  readonly error?: AttemptError
  readonly response_start?: string
}

export interface Result {
  readonly claim: Pick<Claim, 'webhook_id' | 'account_id' | 'id' | 'number'>
  readonly outcome: SettleOutcome
}

interface Underway {
  status: DeliveryStatus
  step: number
  retry_at: number | null
  flight: Flight
}
interface Record {
  enabled: 0 | 1
  consecutive_failures: number
  failing_since: number | null
  disabled_reason: string | null
}

/** Each uses its own index, or every delivery would be read. */
const skipping = (what: 'due' | 'sent'): string =>
  `UPDATE deliveries INDEXED BY deliveries_${what} SET status = 'skipped', retry_at = NULL
   WHERE webhook_id = ? AND ${what}_at IS NOT NULL AND status IN ('pending', 'retrying')`

const queries = prepared((sqlite: Database.Database) => ({
  underway: sqlite.prepare<[string, string, number], Underway>(
    `SELECT status, step, retry_at, flight FROM deliveries
     WHERE webhook_id = ? AND id = ? AND number = ? AND sent_at IS NOT NULL`,
  ),
  attempt: sqlite.prepare(
    `INSERT INTO delivery_attempts (delivery_id, number, at, duration_ms, http_status, error, response_start)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ),
  record: sqlite.prepare(
    'UPDATE deliveries SET status = ?, retry_at = ?, sent_at = NULL, flight = NULL WHERE webhook_id = ? AND id = ?',
  ),
  streakOf: sqlite.prepare<[string], Record>(
    'SELECT enabled, consecutive_failures, failing_since, disabled_reason FROM webhooks WHERE id = ?',
  ),
  saveStreak: sqlite.prepare(
    `UPDATE webhooks SET enabled = @enabled, consecutive_failures = @consecutive_failures,
       failing_since = @failing_since, disabled_reason = @disabled_reason, updated_at = iif(@enabled, updated_at, @now)
     WHERE id = @id`,
  ),
  skipDue: sqlite.prepare(skipping('due')),
  skipSent: sqlite.prepare(skipping('sent')),
}))

/**
 * Records an attempt's outcome, inside a change; returns the webhook's consecutive failures. A result whose claim is
 * stale, or whose delivery is gone, is dropped.
 */
export function settle(runtime: Runtime, { claim, outcome }: Result): number {
  const { sqlite } = runtime.store
  const { underway, attempt, record, streakOf } = queries(sqlite)
  const streak = streakOf.get(claim.webhook_id)
  const row = underway.get(claim.webhook_id, claim.id, claim.number)
  if (!streak || !row) return streak?.consecutive_failures ?? 0
  const { at, duration_ms, http_status = null, error = null, response_start = null } = outcome
  attempt.run(claim.id, claim.number, at, duration_ms, http_status, error, response_start)
  const schedule = after(row, row.flight, error === null, runtime.clock.now(), random())
  record.run(schedule.status, schedule.retry_at, claim.webhook_id, claim.id)
  return updateStreak(runtime, claim.webhook_id, streak, outcome)
}

/** Updates the failure streak of the webhook. */
function updateStreak(runtime: Runtime, id: string, row: Record, outcome: SettleOutcome): number {
  const before: FailureStreak = { ...row, enabled: row.enabled === 1 }
  const now = nextStreak(before, outcome)
  if (now === before) return before.consecutive_failures
  const { sqlite } = runtime.store
  queries(sqlite).saveStreak.run({ ...now, enabled: now.enabled ? 1 : 0, id, now: runtime.clock.now() })
  if (before.enabled && !now.enabled) {
    skipDue(runtime, id)
    runtime.log.warn({ webhook: id, reason: now.disabled_reason }, 'a webhook was switched off')
  }
  return now.consecutive_failures
}

/** Due deliveries of a disabled webhook are skipped for good. */
export function skipDue(runtime: Runtime, webhookId: string): void {
  const { skipDue: due, skipSent: sent } = queries(runtime.store.sqlite)
  due.run(webhookId)
  sent.run(webhookId)
}
