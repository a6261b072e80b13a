import { enqueue } from '../../../runtime/jobs/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { localNode } from '../../../shared/node-name.ts'
import { laneOf } from '../../nodes/lane.ts'
import { followServed } from '../served/follow.ts'
import { followSecondaries } from './secondaries.ts'
import { changesWait, noteChanges } from './store.ts'

/** In the lane of the job that applies the server's own names: both write the same state. */
export const applyServerJob = { kind: 'server.apply', lane: laneOf(localNode) } as const

/** Reports zones that come and go: zones of accounts elsewhere, then the catalogs for peers. */
export function followZones(runtime: Runtime): void {
  const { db } = runtime.store
  followServed(runtime)
  if (!changesWait(db)) return
  noteChanges(db, false)
  followSecondaries(runtime)
  noteChanges(db, false)
  enqueue(runtime, applyServerJob, systemActor(db), runtime.id())
}
