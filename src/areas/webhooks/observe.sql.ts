import type Database from 'better-sqlite3'
import type { Counter, Sample } from '../../runtime/metrics/registry.ts'
import type { Log, Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'
import type { Claim } from './claim.sql.ts'
import type { SettleOutcome } from './settle.sql.ts'

// By hand: each statement names its index, which drizzle cannot; without it SQLite reads all deliveries.

/** Each reads a partial index of unfinished deliveries only. */
const queries = prepared((sqlite: Database.Database) => ({
  waiting: sqlite.prepare<[{ now: number }], { due: number; later: number; oldest: number | null }>(
    `SELECT count(*) FILTER (WHERE due_at <= @now) AS due, count(*) FILTER (WHERE due_at > @now) AS later,
       min(due_at) AS oldest
     FROM deliveries INDEXED BY deliveries_due WHERE due_at IS NOT NULL`,
  ),
  sending: sqlite
    .prepare<[], number>('SELECT count(*) FROM deliveries INDEXED BY deliveries_sent WHERE sent_at IS NOT NULL')
    .pluck(),
}))

/** Unfinished deliveries, and a count of attempts by outcome. */
export function measureDeliveries({ metrics, store, clock }: Runtime): Counter {
  const waiting = () => queries(store.sqlite).waiting.get({ now: clock.now() })!
  const samples = (): Sample[] => {
    const { due, later } = waiting()
    const states = { due, later, sending: queries(store.sqlite).sending.get()! }
    return Object.entries(states).map(([state, value]) => ({ value, labels: { state } }))
  }
  metrics.add({ name: 'panel_deliveries', help: 'Unfinished deliveries.', type: 'gauge', samples })
  metrics.gauge(
    'panel_delivery_oldest_due_seconds',
    'How long the oldest delivery has been due; 0 if none is.',
    () => Math.max(0, clock.now() - (waiting().oldest ?? Number.POSITIVE_INFINITY)) / 1000,
  )
  return metrics.counter('panel_delivery_attempts_total', 'Delivery attempts, by outcome.', 'outcome')
}

/** Logs one line per attempt, with the id of the request that caused the event. */
export function report(log: Log, claim: Claim, { duration_ms: ms, http_status, error }: SettleOutcome): void {
  const { webhook_id: webhook, id: delivery, event_id: event, request_id, number } = claim
  const fields = { webhook, delivery, event, number, ms, http_status, error, request_id: request_id ?? undefined }
  log.info(fields, error === undefined ? 'delivered' : 'a delivery attempt failed')
}
