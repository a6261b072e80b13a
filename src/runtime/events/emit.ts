import type { Via } from '../../contract/events.ts'
import { events as declared, type EventType } from '../../contract/events.ts'
import { insertInto } from '../../store/rows.ts'
import type { Actor } from '../operations/actor.ts'
import type { Runtime } from '../runtime.ts'
import { events } from '../tables.ts'
import type { Emission, EventRow } from './emission.ts'

declare module '../runtime.ts' {
  interface Signals {
    /** An event was committed. */
    event: [event: EventRow]
  }
}

const insert = insertInto(events)

type EventActor = Pick<Actor, 'type' | 'id' | 'reason' | 'client'>

/** Records an event and queues its deliveries, inside the change that causes it. */
export function recordEvent(
  runtime: Runtime,
  event: Emission,
  actor: EventActor,
  via: Via,
  request_id: string,
): EventRow {
  const now = runtime.clock.now()
  const row = {
    id: runtime.id(),
    type: event.type,
    created_at: now,
    account_id: event.account?.id ?? null,
    for_account: event.account !== undefined && declared[event.type].account,
    server: runtime.hostname,
  }
  const result = insert(runtime.store.sqlite, { ...row, core: coreOf(row, event, actor, via), request_id })
  const recorded = { ...row, seq: Number(result.lastInsertRowid), object_id: event.object_id }
  for (const deliver of runtime.ports.onEvent) deliver(runtime, recorded)
  runtime.store.afterCommit(() => runtime.signals.emit('event', recorded))
  return recorded
}

/** The payload without its braces, serialized once: every delivery and feed page carries these bytes. */
function coreOf(
  row: { id: string; type: EventType; created_at: number; account_id: string | null },
  event: Emission,
  actor: EventActor,
  via: Via,
): string {
  const { account } = event
  const body = {
    id: row.id,
    type: row.type,
    created_at: row.created_at,
    ...(account ? { account_id: account.id } : {}),
    data: {
      ...(account ? { account: { id: account.id, username: account.username, domain: account.domain } } : {}),
      object: declared[event.type].object,
      object_id: event.object_id,
      details: event.details,
      actor: { type: actor.type, id: actor.id },
      via,
      ...(actor.reason !== undefined && { reason: actor.reason }),
      ...(actor.client !== undefined && { client: actor.client }),
      ...event.extra,
    },
  }
  return JSON.stringify(body).slice(1, -1)
}

/** The body a webhook posts. */
export const bodyOf = (event: { core: string; server: string }): string =>
  `{${event.core},"server":${JSON.stringify(event.server)}}`
