import type Database from 'better-sqlite3'
import type { EventRow } from '../../runtime/events/emission.ts'
import { shareholderOf } from '../../runtime/jobs/shares.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { prepared } from '../../store/prepared.ts'
import { wants } from './patterns.ts'

// By hand: runs for each webhook of each event; an insert takes 8 µs instead of 14 (bench/sql.ts).

interface Subscriber {
  readonly id: string
  readonly account_id: string | null
  readonly enabled: 0 | 1
  readonly events: string
}

const columns = 'id, account_id, enabled, events'
const queries = prepared((sqlite: Database.Database) => ({
  subscribers: sqlite.prepare<[string | null], Subscriber>(
    `SELECT ${columns} FROM webhooks WHERE account_id IS NULL
     UNION ALL SELECT ${columns} FROM webhooks WHERE account_id = ?`,
  ),
  one: sqlite.prepare<[string], Subscriber>(`SELECT ${columns} FROM webhooks WHERE id = ?`),
  insert: sqlite.prepare(
    `INSERT INTO deliveries (webhook_id, id, event_seq, status, retry_at, asked_at, created_at)
     VALUES (@webhook_id, @id, @seq, @status, @retry_at, @asked_at, @now)`,
  ),
}))

/** Whose share a webhook's deliveries count towards. */
export const ownerOf = (runtime: Runtime, { account_id }: { readonly account_id: string | null }): string =>
  account_id === null ? 'server' : shareholderOf(runtime, account_id)

/**
 * Adds a delivery for every subscribed webhook, in the change that records the event. A ping only goes to its webhook.
 */
export function deliverEvent(runtime: Runtime, event: EventRow): void {
  const { subscribers, one } = queries(runtime.store.sqlite)
  if (event.type === 'webhook.ping') {
    const webhook = one.get(event.object_id)
    if (webhook) add(runtime, event, webhook, true)
    return
  }
  for (const webhook of subscribers.all(event.for_account ? event.account_id : null))
    if (wants(webhook.events, event.type)) add(runtime, event, webhook, false)
}

/** A disabled webhook gets a skipped row; a ping is sent anyway, once. */
function add(runtime: Runtime, event: EventRow, webhook: Subscriber, isPing: boolean): void {
  const now = runtime.clock.now()
  const on = webhook.enabled === 1
  queries(runtime.store.sqlite).insert.run({
    webhook_id: webhook.id,
    id: runtime.id(),
    seq: event.seq,
    status: on ? 'pending' : 'skipped',
    retry_at: on ? now : null,
    asked_at: !on && isPing ? now : null,
    now,
  })
  if (on || isPing) wake(runtime, webhook)
}

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** A delivery may be due for a webhook of this owner: an account, a reseller, or the server. */
    delivery: [webhookId: string, owner: string]
  }
}

/** Wakes the dispatcher after the commit. */
export const wake = (runtime: Runtime, webhook: { id: string; account_id: string | null }): void =>
  runtime.store.afterCommit(() => runtime.signals.emit('delivery', webhook.id, ownerOf(runtime, webhook)))
