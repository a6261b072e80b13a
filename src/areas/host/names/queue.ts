import { and, eq, inArray } from 'drizzle-orm'
import { enqueue, unfinished } from '../../../runtime/jobs/queue.ts'
import type { NewJob } from '../../../runtime/operations/context.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { jobs } from '../../../runtime/tables.ts'
import { localNode } from '../../../shared/node-name.ts'
import { laneOf } from '../../nodes/lane.ts'
import { nodeByName } from '../../nodes/store.ts'
import type { Own } from './own.ts'

/** Enqueues a job for a machine's names, unless one is unfinished. */
export function queue(own: Own, job: NewJob): Promise<void> {
  const { runtime, node } = own
  const { db } = runtime.store
  const placed = node === localNode ? {} : { node, object_id: nodeByName(db, node)!.id }
  return runtime.store.change(() => {
    if (!isInProgress(own)) enqueue(runtime, { ...job, ...placed, lane: laneOf(node) }, systemActor(db), runtime.id())
  })
}

/** Other changes to this name server share the lane; they are frequent, and change no names. */
const kinds = ['server.apply', 'server.certificate']

export const isInProgress = ({ runtime, node }: Own): boolean =>
  runtime.store.db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.lane, laneOf(node)), inArray(jobs.kind, kinds), inArray(jobs.status, [...unfinished])))
    .get() !== undefined
