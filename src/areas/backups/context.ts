import { enqueue } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { JobRow } from '../../runtime/tables.ts'

/** The context for areas' restores inside a job's change: emits no events, since the job's own end covers them. */
export function quietContext(runtime: Runtime, row: JobRow): Context {
  const { store } = runtime
  const actor = { type: row.actor_type, id: row.actor_id, name: row.actor_id, via: row.via }
  return {
    runtime,
    store,
    db: store.db,
    actor,
    op: undefined,
    caller: undefined,
    requestId: row.request_id,
    now: runtime.clock.now(),
    id: () => runtime.id(),
    emit: () => runtime.id(),
    enqueue: (job) => enqueue(runtime, job, actor, row.request_id),
    note: () => {},
    header: () => {},
    afterCommit: (act) => store.afterCommit(act),
  }
}
