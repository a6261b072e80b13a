import { eq } from 'drizzle-orm'
import type { KnownNode } from '../../../host/contract/node-port.ts'
import type { Emission } from '../../../runtime/events/emission.ts'
import { recordEvent } from '../../../runtime/events/emit.ts'
import { recordAudit } from '../../../runtime/operations/audit.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { localNode } from '../../../shared/node-name.ts'
import { type NodeRow, nodes } from '../tables.ts'

/** Updates a node's row; inside a change. */
export const setNode = ({ store }: Runtime, id: string, changes: Partial<NodeRow>): void =>
  void store.db.update(nodes).set(changes).where(eq(nodes.id, id)).run()

/** A lone control plane's node takes accounts regardless of its free space; inside a change. */
export const forgetRoom = ({ store }: Runtime): void =>
  void store.db.update(nodes).set({ disk_free_mb: null }).where(eq(nodes.name, localNode)).run()

/** Records an event caused by no user; inside a change. */
export function record(runtime: Runtime, event: Emission): void {
  const actor = systemActor(runtime.store.db)
  recordEvent(runtime, event, actor, actor.via, runtime.id())
}

/** Records in the audit log what a node did or what happened to it; inside a change. */
export function noteNode(runtime: Runtime, operation: string, { id, name }: KnownNode, what: object = {}): void {
  const note = { object_id: id, after: { name, ...what } }
  recordAudit(runtime, operation, systemActor(runtime.store.db), runtime.id(), note)
}
