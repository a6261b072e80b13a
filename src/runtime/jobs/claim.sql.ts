import type Database from 'better-sqlite3'
import { eq, sql } from 'drizzle-orm'
import type { Db, Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import type { Runtime } from '../runtime.ts'
import { type JobRow, jobs } from '../tables.ts'

// By hand: each statement names its index, which drizzle cannot; without it SQLite reads the whole queue.

/** None of the lane running: a retried job may be older than the running one. */
const isLaneFree = `NOT EXISTS (
        SELECT 1 FROM jobs AS active INDEXED BY jobs_leased
        WHERE active.status IN ('leased', 'running') AND active.lane = due.lane)`

const isDue = "due.node = @node AND status = 'queued' AND run_at <= @now"
const isUnfinished = "status IN ('queued', 'leased', 'running')"

/** First unfinished job of its lane, where no urgent one is unfinished. */
const isNext = `due.urgent = 0
      AND NOT EXISTS (
        SELECT 1 FROM jobs AS earlier
        WHERE earlier.lane = due.lane AND earlier.id < due.id AND earlier.${isUnfinished})
      AND NOT EXISTS (
        SELECT 1 FROM jobs AS ahead INDEXED BY jobs_urgent
        WHERE ahead.lane = due.lane AND ahead.urgent = 1 AND ahead.${isUnfinished})
      AND ${isLaneFree}`

/** An urgent job waits only for earlier urgent ones, and until the running job of its lane has made way. */
const isNextUrgent = `NOT EXISTS (
        SELECT 1 FROM jobs AS earlier INDEXED BY jobs_urgent
        WHERE earlier.lane = due.lane AND earlier.id < due.id AND earlier.urgent = 1 AND earlier.${isUnfinished})
      AND ${isLaneFree}`

const isOfOther = "coalesce(due.tenant, '') NOT IN (SELECT value FROM json_each(@tenants))"

/** An account's or object's own lane, not one of a side family such as `backup:01K9…`. */
const isOwn = `coalesce(instr(due.lane, ':'), 0) = 0 AND ${isOfOther}`
const family = "substr(due.lane, 1, instr(due.lane, ':') - 1)"
const isOfFamily = `instr(due.lane, ':') > 0 AND ${isOfOther}
      AND ${family} NOT IN (SELECT value FROM json_each(@full))
      AND ${family} || ':' || coalesce(due.tenant, '') NOT IN (SELECT value FROM json_each(@parts))`

const ordinary = `jobs AS due INDEXED BY jobs_due WHERE ${isDue}`
const urgent = `jobs AS due INDEXED BY jobs_urgent WHERE due.urgent = 1 AND due.${isUnfinished} AND ${isDue}`

interface Claim {
  readonly node: string
  readonly owner: string
  readonly until: number
  readonly now: number
  readonly limit: number
  /** Those whose share is full. */
  readonly tenants: readonly string[]
}

/** A job of a side lane whose family, and tenant's part of it (`app:01K9…`), are not listed as full. */
interface SideClaim extends Omit<Claim, 'limit'> {
  readonly full: readonly string[]
  readonly parts: readonly string[]
}

const claimOf = (from: string, which: string, limit: string): string =>
  `UPDATE jobs SET status = 'leased', attempts = attempts + 1, fence = fence + 1,
     lease_owner = @owner, lease_until = @until, started_at = coalesce(started_at, @now)
   WHERE id IN (
     SELECT id FROM ${from} AND ${which} ORDER BY run_at, id LIMIT ${limit})
   RETURNING id`

/** Each names its index: SQLite would otherwise choose to read the whole queue. */
const statements = prepared((sqlite: Database.Database) => ({
  runnable: sqlite.prepare<[object]>(`SELECT 1 FROM ${ordinary} AND ${isOwn} AND ${isNext} LIMIT 1`),
  runnableUrgent: sqlite.prepare<[object]>(`SELECT 1 FROM ${urgent} AND ${isOfOther} AND ${isNextUrgent} LIMIT 1`),
  lanesOfUrgent: sqlite.prepare<[object], string>(`SELECT lane FROM ${urgent}`).pluck(),
  due: sqlite.prepare<[string, number]>(
    "SELECT 1 FROM jobs INDEXED BY jobs_due WHERE node = ? AND status = 'queued' AND run_at <= ? LIMIT 1",
  ),
  next: sqlite
    .prepare<[string, number], number | null>(
      "SELECT min(run_at) FROM jobs INDEXED BY jobs_due WHERE node = ? AND status = 'queued' AND run_at > ?",
    )
    .pluck(),
  claim: sqlite.prepare<[object], string>(claimOf(ordinary, `${isOwn} AND ${isNext}`, '@limit + 0')).pluck(),
  claimSide: sqlite.prepare<[object], string>(claimOf(ordinary, `${isOfFamily} AND ${isNext}`, '1')).pluck(),
  claimUrgent: sqlite.prepare<[object], string>(claimOf(urgent, `${isOfOther} AND ${isNextUrgent}`, '1')).pluck(),
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

/**
 * Whether a job of a node has been runnable since then; those of side lanes and of tenants whose share is full may
 * legitimately wait long.
 */
export function runnableSince({ store }: Runtime, node: string, then: number, full: readonly string[]): boolean {
  const { runnable, runnableUrgent } = statements(store.sqlite)
  const params = { node, now: then, tenants: JSON.stringify(full) }
  return runnable.get(params) !== undefined || runnableUrgent.get(params) !== undefined
}

/** The lanes in which an urgent job is due. */
export const lanesOfUrgent = ({ store }: Runtime, node: string, now: number): string[] =>
  statements(store.sqlite).lanesOfUrgent.all({ node, now })

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
export function claim({ store }: Runtime, { tenants, ...params }: Claim): JobRow[] {
  return rowsOf(
    store,
    statements(store.sqlite)
      .claim.all({ ...params, tenants: JSON.stringify(tenants) })
      .sort(),
  )
}

/** Claims the next urgent job. */
export const claimUrgent = ({ store }: Runtime, { tenants, ...params }: Omit<Claim, 'limit'>): JobRow | undefined =>
  rowsOf(store, statements(store.sqlite).claimUrgent.all({ ...params, tenants: JSON.stringify(tenants) }))[0]

/** Claims the next job of a side lane. */
export function claimSide({ store }: Runtime, { full, parts, tenants, ...params }: SideClaim): JobRow | undefined {
  const lists = { full: JSON.stringify(full), parts: JSON.stringify(parts), tenants: JSON.stringify(tenants) }
  return rowsOf(store, statements(store.sqlite).claimSide.all({ ...params, ...lists }))[0]
}

/** Jobs whose lease has expired. */
export const expired = ({ store }: Runtime, now: number): JobRow[] =>
  rowsOf(store, statements(store.sqlite).expired.all(now))

const rowsOf = ({ db }: Store, ids: readonly string[]): JobRow[] => ids.map((id) => rows(db).byId.get({ id })!)
