import { recordEvent } from '../../../runtime/emit.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import type { Changes } from './change.ts'

/** Changes of a running job, in the name of who asked for it. */
export const jobChanges = (runtime: Runtime, job: JobRow): Changes => ({
  runtime,
  store: runtime.store,
  db: runtime.store.db,
  now: runtime.clock.now(),
  emit: (event) => recordEvent(runtime, event, { type: job.actor_type, id: job.actor_id }, job.via, job.request_id).id,
})
