import type Database from 'better-sqlite3'
import { prepared } from '../store/prepared.ts'
import { update } from '../store/rows.ts'
import { hastened } from './hasten.ts'
import type { Runtime } from './runtime.ts'
import { type JobRow, jobs } from './tables.ts'

// By hand: the statement names its index, which drizzle cannot, for each job that is asked for.

/** Only jobs that render the desired state can stand for one another. */
const lastWords = new Set(['update', 'apply', 'password'])

/** Whether a queued job of this kind also does the work of a later one for the same object. */
export const coalesces = (kind: string): boolean => lastWords.has(kind.slice(kind.lastIndexOf('.') + 1))

type Payload = JobRow['payload']
type Wanted = Pick<JobRow, 'node' | 'kind' | 'lane' | 'object_id' | 'payload' | 'username' | 'domain'>
type Waiting = Pick<JobRow, 'id' | 'kind' | 'run_at' | 'attempts' | 'max_attempts'> & { readonly payload: string }

const statements = prepared((sqlite: Database.Database) => ({
  waiting: sqlite.prepare<[Pick<Wanted, 'node' | 'kind' | 'lane' | 'object_id'>], Waiting>(
    `SELECT id, kind, run_at, attempts, max_attempts, payload FROM jobs INDEXED BY jobs_lane
     WHERE lane IS @lane AND status IN ('queued', 'leased', 'running')
       AND status = 'queued' AND node = @node AND kind = @kind AND object_id IS @object_id ORDER BY id LIMIT 1`,
  ),
}))

const change = update(jobs, 'id = ?')

/**
 * The queued job that takes over the work of another one, if there is one. It becomes due now, with all attempts that
 * the other one would have, and its account has the names of now; its actor stays.
 */
export function coalesce(runtime: Runtime, wanted: Wanted): string | undefined {
  const { node, kind, lane, object_id, payload, username, domain } = wanted
  if (!coalesces(kind)) return undefined
  const { sqlite } = runtime.store
  const waiting = statements(sqlite).waiting.get({ node, kind, lane, object_id })
  if (!waiting) return undefined
  const both = merged(JSON.parse(waiting.payload) as Payload, payload)
  change(sqlite, { ...hastened(runtime, waiting), payload: both, username, domain }, waiting.id)
  return waiting.id
}

/** The host areas that a job is limited to; undefined is all of them. */
export const areasOf = (payload: Payload): string[] | undefined => payload['areas']?.split(',')

export const withAreas = (payload: Payload, areas: readonly string[]): Payload => ({
  ...payload,
  areas: [...new Set(areas)].sort().join(','),
})

/** What a job was asked with; its areas follow from its kind. */
export const withoutAreas = ({ areas: _, ...rest }: Payload): Payload => rest

/** A job that names no areas works on all of them, and so does what it is merged with. */
function merged(before: Payload, after: Payload): Payload {
  const rest = withoutAreas({ ...before, ...after })
  const [some, others] = [areasOf(before), areasOf(after)]
  return some && others ? withAreas(rest, [...some, ...others]) : rest
}
