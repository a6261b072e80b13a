import type Database from 'better-sqlite3'
import { coalesces } from '../../shared/job-kinds.ts'
import type { Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { update } from '../../store/rows.ts'
import type { Runtime } from '../runtime.ts'
import { type JobRow, jobs } from '../tables.ts'
import { rescheduled } from './reschedule.ts'

// By hand: runs for each enqueued job and names its index, which drizzle cannot.

type Payload = JobRow['payload']
type JobKey = Pick<JobRow, 'node' | 'kind' | 'lane' | 'object_id' | 'payload' | 'username' | 'domain'>
type WaitingJob = Pick<JobRow, 'id' | 'kind' | 'run_at' | 'attempts' | 'max_attempts'> & { readonly payload: string }

const statements = prepared((sqlite: Database.Database) => ({
  waiting: sqlite.prepare<[Pick<JobKey, 'node' | 'kind' | 'lane' | 'object_id'>], WaitingJob>(
    `SELECT id, kind, run_at, attempts, max_attempts, payload FROM jobs INDEXED BY jobs_lane
     WHERE lane IS @lane AND status IN ('queued', 'leased', 'running')
       AND status = 'queued' AND node = @node AND kind = @kind AND object_id IS @object_id ORDER BY id LIMIT 1`,
  ),
  last: sqlite.prepare<[Pick<JobKey, 'lane'> & { max: number }]>(
    `SELECT 1 FROM jobs INDEXED BY jobs_lane
     WHERE lane = @lane AND status IN ('queued', 'leased', 'running') LIMIT 1 OFFSET @max - 1`,
  ),
}))

const change = update(jobs, 'id = ?')

/**
 * Returns the queued job that absorbs the new one, if there is one. It becomes due now, gets a new job's attempts and
 * the account's current names, and keeps its actor.
 */
export function coalesce(runtime: Runtime, job: JobKey): string | undefined {
  const { node, kind, lane, object_id, payload, username, domain } = job
  if (!coalesces(kind)) return undefined
  const { sqlite } = runtime.store
  const waiting = statements(sqlite).waiting.get({ node, kind, lane, object_id })
  if (!waiting) return undefined
  const both = merged(JSON.parse(waiting.payload) as Payload, payload)
  change(sqlite, { ...rescheduled(runtime, waiting), payload: both, username, domain }, waiting.id)
  return waiting.id
}

/** Whether a lane has that many unfinished jobs. */
export const isLaneFull = ({ sqlite }: Store, lane: string, max: number): boolean =>
  statements(sqlite).last.get({ lane, max }) !== undefined

/** The host areas that a job is limited to; undefined means all. */
export const areasOf = (payload: Payload): string[] | undefined => payload['areas']?.split(',')

export const withAreas = (payload: Payload, areas: readonly string[]): Payload => ({
  ...payload,
  areas: [...new Set(areas)].sort().join(','),
})

/** The payload without its areas, which follow from the kind. */
export const withoutAreas = ({ areas: _, ...rest }: Payload): Payload => rest

/** A job without areas works on all of them, and so does the merged job. */
function merged(before: Payload, after: Payload): Payload {
  const rest = withoutAreas({ ...before, ...after })
  const [some, others] = [areasOf(before), areasOf(after)]
  return some && others ? withAreas(rest, [...some, ...others]) : rest
}
