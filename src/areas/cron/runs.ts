import { and, desc, eq, getTableColumns, inArray, ne, notInArray, type SQL } from 'drizzle-orm'
import type { z } from 'zod'
import type { CronJob, CronRun } from '../../contract/cron.ts'
import { notFound } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Db, Store } from '../../store/open.ts'
import { insertInto, update } from '../../store/rows.ts'
import { accounts } from '../accounts/tables.ts'
import { type CronJobRow, type CronRunRow, cronJobs, cronRuns } from './tables.ts'

const MAX_STORED_RUNS = 50

const insert = insertInto(cronRuns)
/** The first recorded outcome wins. */
const write = update(cronRuns, "id = ? AND outcome = 'running'")

type New = Pick<CronRunRow, 'id' | 'cron_job_id' | 'trigger' | 'outcome' | 'started_at'>

/** Adds a run and deletes those older than the newest 50, except running ones. */
export function addRun({ db, sqlite }: Store, made: New): CronRunRow {
  const finished_at = made.outcome === 'running' ? null : made.started_at
  const row = { ...made, finished_at, exit_code: null, signal: null, output: null, truncated: null }
  insert(sqlite, row)
  const retained = runsOf(db, row.cron_job_id).map(({ id }) => id)
  db.delete(cronRuns)
    .where(
      and(
        eq(cronRuns.cron_job_id, row.cron_job_id),
        ne(cronRuns.outcome, 'running'),
        notInArray(cronRuns.id, retained),
      ),
    )
    .run()
  return row
}

export const endRun = ({ sqlite }: Store, id: string, end: Partial<CronRunRow>): void => void write(sqlite, end, id)

const { output: _output, truncated: _truncated, ...brief } = getTableColumns(cronRuns)

/** A cron job's newest runs, newest first, without output. */
export const runsOf = (db: Db, cronJob: string, limit = MAX_STORED_RUNS): Brief[] =>
  db.select(brief).from(cronRuns).where(eq(cronRuns.cron_job_id, cronJob)).orderBy(desc(cronRuns.id)).limit(limit).all()

type Brief = Omit<CronRunRow, 'output' | 'truncated'>

export const runningOf = (db: Db, cronJob: string): Brief | undefined =>
  db
    .select(brief)
    .from(cronRuns)
    .where(and(eq(cronRuns.cron_job_id, cronJob), eq(cronRuns.outcome, 'running')))
    .get()

export const runById = (db: Db, id: string): CronRunRow | undefined =>
  db.select().from(cronRuns).where(eq(cronRuns.id, id)).get()

/** The run, or 404 `not-found` if the cron job has none with this id. */
export function findRun({ db }: Context, cronJob: string, id: string): CronRunRow {
  const found = runById(db, id)
  if (found?.cron_job_id !== cronJob) throw notFound('run')
  return found
}

/** Runs that the last process left running. */
export const leftRunning = (db: Db): string[] =>
  db
    .select({ id: cronRuns.id })
    .from(cronRuns)
    .where(eq(cronRuns.outcome, 'running'))
    .all()
    .map(({ id }) => id)

/** Scheduled runs that are still running. */
export const goingOn = (db: Db): { readonly id: string; readonly job: CronJobRow }[] =>
  db
    .select({ id: cronRuns.id, job: cronJobs })
    .from(cronRuns)
    .innerJoin(cronJobs, eq(cronJobs.id, cronRuns.cron_job_id))
    .where(and(eq(cronRuns.outcome, 'running'), eq(cronRuns.trigger, 'schedule')))
    .all()

/** Interrupts runs that no process of this server will ask about. */
export const interruptAll = (store: Store, now: number): void => interrupt(store, now, undefined)

/** Runs that ended with the last process are not repeated. For other nodes, their node is asked. */
export function interruptLocal(store: Store, now: number): void {
  const local = store.db
    .select({ id: cronJobs.id })
    .from(cronJobs)
    .innerJoin(accounts, eq(accounts.id, cronJobs.account_id))
    .where(eq(accounts.node, localNode))
  interrupt(store, now, inArray(cronRuns.cron_job_id, local))
}

const interrupt = ({ db }: Store, now: number, which: SQL | undefined): void =>
  void db
    .update(cronRuns)
    .set({ outcome: 'interrupted', finished_at: now })
    .where(and(eq(cronRuns.outcome, 'running'), which))
    .run()

/** The form in a cron job's `last_run`. */
export const toBrief = (row: Brief): NonNullable<z.infer<typeof CronJob>['last_run']> => ({
  id: row.id,
  trigger: row.trigger,
  outcome: row.outcome,
  ...present({ exit_code: row.exit_code, signal: row.signal }),
  started_at: row.started_at,
  ...present({ finished_at: row.finished_at }),
})

/** Row to resource (contract: CronRun). */
export const toRun = (row: CronRunRow): z.infer<typeof CronRun> => ({
  ...toBrief(row),
  ...present({ output: row.output, truncated: row.truncated }),
})
