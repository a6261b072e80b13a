import { enqueue } from '../../../runtime/jobs/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { laneOf } from '../../nodes/lane.ts'
import type { NodeRow } from '../../nodes/tables.ts'

/** Enqueues a job of that kind for a node's name server. Inside a change. */
export function enqueueOn({ id, name }: NodeRow, kind: string, runtime: Runtime): void {
  const job = { kind, node: name, object_id: id, lane: laneOf(name) }
  enqueue(runtime, job, systemActor(runtime.store.db), runtime.id())
}
