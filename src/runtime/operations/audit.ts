import { insertInto } from '../../store/rows.ts'
import type { Runtime } from '../runtime.ts'
import { audit } from '../tables.ts'
import type { Actor } from './actor.ts'
import { admitsDetails } from './audit-allowance.ts'
import { recordedDetails } from './audit-details.ts'
import type { AuditNote } from './context.ts'

const insert = insertInto(audit)

/** Records who changed what, in the change's own transaction. Returns the row's id. */
export function recordAudit(
  runtime: Runtime,
  operation: string,
  actor: Actor,
  requestId: string,
  note: AuditNote,
): string {
  const id = runtime.id()
  const admits = (bytes: number): boolean => admitsDetails(runtime, actor, bytes)
  insert(runtime.store.sqlite, {
    id,
    at: runtime.clock.now(),
    operation,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    acting_as_id: actor.session?.actingAs?.id ?? null,
    acting_as_name: actor.session?.actingAs?.name ?? null,
    via: actor.via,
    token_id: actor.token?.id ?? null,
    token_name: actor.token?.name ?? null,
    address: actor.address ?? null,
    request_id: requestId,
    account_id: note.account?.id ?? null,
    username: note.account?.username ?? null,
    owner_id: note.account?.owner_id ?? null,
    object_id: note.object_id ?? null,
    before: note.before ? recordedDetails(note.before, admits) : null,
    after: note.after ? recordedDetails(note.after, admits) : null,
    reason: actor.reason ?? null,
    client: actor.client ?? null,
  })
  return id
}
