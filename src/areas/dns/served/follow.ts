import { and, eq, sql } from 'drizzle-orm'
import { rescheduled } from '../../../runtime/jobs/reschedule.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { jobs } from '../../../runtime/tables.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { laneOf } from '../../nodes/lane.ts'
import { nodeByName } from '../../nodes/store.ts'
import { enqueueOn } from './enqueue.ts'
import { pendingNodes } from './pending.sql.ts'
import { kind } from './serve.ts'

const queries = prepared((db: Db) => ({
  // Prefers a queued job to a running one.
  unfinished: db
    .select({
      id: jobs.id,
      kind: jobs.kind,
      status: jobs.status,
      run_at: jobs.run_at,
      attempts: jobs.attempts,
      max_attempts: jobs.max_attempts,
    })
    .from(jobs)
    .where(
      and(
        eq(jobs.lane, sql.placeholder('lane')),
        eq(jobs.kind, kind),
        sql`${jobs.status} IN ('queued', 'leased', 'running')`,
      ),
    )
    .orderBy(sql`${jobs.status} <> 'queued'`)
    .prepare(),
}))

/** Updates each node that is out of date. Inside a change. */
export function followServed(runtime: Runtime): void {
  const { db, sqlite } = runtime.store
  for (const name of pendingNodes(sqlite)) {
    const node = nodeByName(db, name)
    if (node && node.state !== 'retired' && !isInProgress(runtime, name)) enqueueOn(node, kind, runtime)
  }
}

/** Whether an unfinished job exists; a running one enqueues another when it ends. */
function isInProgress(runtime: Runtime, node: string): boolean {
  const { store, clock, signals } = runtime
  const job = queries(store.db).unfinished.get({ lane: laneOf(node) })
  if (job?.status === 'queued' && job.run_at > clock.now()) {
    // It is waiting for a retry, and now has more to send.
    store.db.update(jobs).set(rescheduled(runtime, job)).where(eq(jobs.id, job.id)).run()
    store.afterCommit(() => signals.emit('job'))
  }
  return job !== undefined
}
