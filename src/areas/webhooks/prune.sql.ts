import type Database from 'better-sqlite3'
import type { Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'

// By hand: a recursive index scan, which drizzle cannot express; a delete takes 5 µs instead of 200 (bench/sql.ts).

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** A webhook is gone and its log can be deleted. */
    orphans: []
  }
}

interface DeliveryKey {
  webhook_id: string
  id: string
}

const queries = prepared((sqlite: Database.Database) => ({
  ofEvents: sqlite.prepare<[number, number], DeliveryKey>(
    'SELECT webhook_id, id FROM deliveries WHERE event_seq <= ? ORDER BY event_seq LIMIT ? + 0',
  ),
  /** Skips from webhook to webhook in the index instead of reading every delivery. */
  orphaned: sqlite
    .prepare<[], string>(
      `WITH RECURSIVE used (id) AS (
         SELECT min(webhook_id) FROM deliveries
         UNION ALL SELECT (SELECT min(webhook_id) FROM deliveries WHERE webhook_id > used.id) FROM used
         WHERE used.id IS NOT NULL)
       SELECT id FROM used WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM webhooks) LIMIT 1`,
    )
    .pluck(),
  ofWebhook: sqlite.prepare<[string, number], DeliveryKey>(
    'SELECT webhook_id, id FROM deliveries WHERE webhook_id = ? LIMIT ? + 0',
  ),
  attempts: sqlite.prepare<[string]>('DELETE FROM delivery_attempts WHERE delivery_id = ?'),
  delivery: sqlite.prepare<[string, string]>('DELETE FROM deliveries WHERE webhook_id = ? AND id = ?'),
}))

/** Deletes at most `limit` deliveries of events up to a seq, inside a change; returns how many. */
export function pruneDeliveries(runtime: Runtime, seq: number, limit: number): number {
  const { sqlite } = runtime.store
  return remove(sqlite, queries(sqlite).ofEvents.all(seq, limit))
}

const step = 500

/** Deletes the logs of deleted webhooks, in small steps. */
export async function sweepOrphans(runtime: Runtime, isOver: () => boolean): Promise<void> {
  const { sqlite, change } = runtime.store
  while (!isOver()) {
    const orphan = queries(sqlite).orphaned.get()
    if (orphan === undefined) return
    await change(() => remove(sqlite, queries(sqlite).ofWebhook.all(orphan, step)))
  }
}

function remove(sqlite: Database.Database, keys: readonly DeliveryKey[]): number {
  const { attempts, delivery } = queries(sqlite)
  for (const { webhook_id, id } of keys) {
    attempts.run(id)
    delivery.run(webhook_id, id)
  }
  return keys.length
}
