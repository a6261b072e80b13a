import type Database from 'better-sqlite3'
import { eq, sql } from 'drizzle-orm'
import type { Db, Store } from '../store/open.ts'
import { prepared } from '../store/prepared.ts'
import type { Runtime } from './runtime.ts'
import { type JobRow, jobs } from './tables.ts'

// By hand: each statement names its index, which drizzle cannot; without it SQLite reads the whole queue.

/**
 * Due, first unfinished job of its lane, and none of the lane running: a retried job may be older than the running one.
 */
const runnable = `due.node = @node AND status = 'queued' AND run_at <= @now
      AND NOT EXISTS (
        SELECT 1 FROM jobs AS earlier
        WHERE earlier.lane = due.lane AND earlier.id < due.id AND earlier.status IN ('queued', 'leased', 'running'))
      AND NOT EXISTS (
        SELECT 1 FROM jobs AS active INDEXED BY jobs_leased
        WHERE active.status IN ('leased', 'running') AND active.lane = due.lane)`

/** An account's or object's own lane, not one of a side family such as `backup:01K9…`. */
const isOwn = "coalesce(instr(due.lane, ':'), 0) = 0"
const isOfFamily = `instr(due.lane, ':') > 0
      AND substr(due.lane, 1, instr(due.lane, ':') - 1) NOT IN (SELECT value FROM json_each(@full))`

interface Claim {
  readonly node: string
  readonly owner: string
  readonly until: number
  readonly now: number
  readonly limit: number
}

/** A job of a side lane whose family is not listed as full. */
interface SideClaim extends Omit<Claim, 'limit'> {
  readonly full: readonly string[]
}

const claimOf = (which: string, limit: string): string =>
  `UPDATE jobs SET status = 'leased', attempts = attempts + 1, fence = fence + 1,
     lease_owner = @owner, lease_until = @until, started_at = coalesce(started_at, @now)
   WHERE id IN (
     SELECT id FROM jobs AS due INDEXED BY jobs_due WHERE ${runnable} AND ${which} ORDER BY run_at, id LIMIT ${limit})
   RETURNING id`

/** Each names its index: SQLite would otherwise choose to read the whole queue. */
const statements = prepared((sqlite: Database.Database) => ({
  runnable: sqlite.prepare<[{ node: string; now: number }]>(
    `SELECT 1 FROM jobs AS due INDEXED BY jobs_due WHERE ${runnable} AND ${isOwn} LIMIT 1`,
  ),
  due: sqlite.prepare<[string, number]>(
    "SELECT 1 FROM jobs INDEXED BY jobs_due WHERE node = ? AND status = 'queued' AND run_at <= ? LIMIT 1",
  ),
  next: sqlite
    .prepare<[string, number], number | null>(
      "SELECT min(run_at) FROM jobs INDEXED BY jobs_due WHERE node = ? AND status = 'queued' AND run_at > ?",
    )
    .pluck(),
  claim: sqlite.prepare<[Claim], string>(claimOf(isOwn, '@limit + 0')).pluck(),
  claimSide: sqlite.prepare<[object], string>(claimOf(isOfFamily, '1')).pluck(),
  expired: sqlite
    .prepare<[number], string>(
      `SELECT id FROM jobs INDEXED BY jobs_leased WHERE status IN ('leased', 'running') AND lease_until <= ?`,
    )
    .pluck(),
}))

const rows = prepared((db: Db) => ({
  byId: db
    .select()
    .from(jobs)
    .where(eq(jobs.id, sql.placeholder('id')))
    .prepare(),
}))

/** Whether a job of an own lane has been runnable since then; side lanes may legitimately wait long. */
export const runnableSince = ({ store, nodes }: Runtime, then: number): boolean =>
  nodes.begun.some((node) => statements(store.sqlite).runnable.get({ node, now: then }) !== undefined)

/** Whether a node has a due job, even if it is behind another of its lane. */
export const anyDue = ({ store }: Runtime, node: string, now: number): boolean =>
  statements(store.sqlite).due.get(node, now) !== undefined

/** When the next job becomes due. */
export function nextDue({ store, nodes }: Runtime, now: number): number | undefined {
  const { next } = statements(store.sqlite)
  const times = nodes.begun.flatMap((node) => next.get(node, now) ?? [])
  return times.length > 0 ? Math.min(...times) : undefined
}

/** Leases what it returns to this worker only, in one statement. Lanes run in order. */
export function claim({ store }: Runtime, wanted: Claim): JobRow[] {
  return rowsOf(store, statements(store.sqlite).claim.all(wanted).sort())
}

/** Claims the next job of a side lane. */
export const claimSide = ({ store }: Runtime, { full, ...wanted }: SideClaim): JobRow | undefined =>
  rowsOf(store, statements(store.sqlite).claimSide.all({ ...wanted, full: JSON.stringify(full) }))[0]

/** Jobs whose lease has expired. */
export const expired = ({ store }: Runtime, now: number): JobRow[] =>
  rowsOf(store, statements(store.sqlite).expired.all(now))

const rowsOf = ({ db }: Store, ids: readonly string[]): JobRow[] => ids.map((id) => rows(db).byId.get({ id })!)
