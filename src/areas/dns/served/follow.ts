import { and, eq, inArray } from 'drizzle-orm'
import { unfinished } from '../../../runtime/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { jobs } from '../../../runtime/tables.ts'
import { laneOf } from '../../nodes/lane.ts'
import { nodeByName } from '../../nodes/store.ts'
import { enqueueOn } from './enqueue.ts'
import { owedNodes } from './owed.sql.ts'
import { kind } from './serve.ts'

/** Has each node told of what it is owed. Inside a change. */
export function followServed(runtime: Runtime): void {
  const { db, sqlite } = runtime.store
  for (const name of owedNodes(sqlite)) {
    const node = nodeByName(db, name)
    if (node && node.state !== 'retired' && !isUnderWay(runtime, name)) enqueueOn(node, kind, runtime)
  }
}

/** One that runs is followed by another when it has ended; answers whether there is one that has not. */
function isUnderWay({ store, clock, signals }: Runtime, node: string): boolean {
  const its = and(eq(jobs.lane, laneOf(node)), eq(jobs.kind, kind), inArray(jobs.status, [...unfinished]))
  const job = store.db.select({ id: jobs.id, status: jobs.status, run_at: jobs.run_at }).from(jobs).where(its).get()
  if (job?.status === 'queued' && job.run_at > clock.now()) {
    // It waits for its next attempt, and has more to tell by now.
    store.db.update(jobs).set({ run_at: clock.now() }).where(eq(jobs.id, job.id)).run()
    store.afterCommit(() => signals.emit('job'))
  }
  return job !== undefined
}
