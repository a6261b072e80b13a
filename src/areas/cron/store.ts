import { and, asc, count, eq, inArray, isNotNull, isNull, lte, min, sql } from 'drizzle-orm'
import { notFound } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db, Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto, update } from '../../store/rows.ts'
import { accounts } from '../accounts/tables.ts'
import { type CronJobRow, cronJobs } from './tables.ts'

const insert = insertInto(cronJobs)
const write = update(cronJobs, 'id = ?')

type WriteStore = { readonly store: Store }

export const addCronJob = ({ store }: WriteStore, row: CronJobRow): void => void insert(store.sqlite, row)

export const setCronJob = ({ store }: WriteStore, id: string, values: Partial<CronJobRow>): void =>
  void write(store.sqlite, values, id)

export const removeCronJob = ({ db }: Context, id: string): void =>
  void db.delete(cronJobs).where(eq(cronJobs.id, id)).run()

const queries = prepared((db: Db) => ({
  ofAccount: db
    .select()
    .from(cronJobs)
    .where(eq(cronJobs.account_id, sql.placeholder('account')))
    .orderBy(asc(cronJobs.id))
    .prepare(),
}))

/** An account's cron jobs, in order of creation. */
export const cronJobsOf = (db: Db, account: string): CronJobRow[] => queries(db).ofAccount.all({ account })

export const countCronJobs = (db: Db, account: string): number =>
  db.select({ total: count() }).from(cronJobs).where(eq(cronJobs.account_id, account)).get()!.total

export const cronJobById = (db: Db, id: string): CronJobRow | undefined =>
  db.select().from(cronJobs).where(eq(cronJobs.id, id)).get()

/** The cron job, or 404 `not-found` if the account has none with this id. */
export function findCronJob({ db }: Context, account: string, id: string): CronJobRow {
  const found = cronJobById(db, id)
  if (found?.account_id !== account) throw notFound('cron job')
  return found
}

export function markApplied({ db }: Pick<Context, 'db'>, ids: readonly string[]): void {
  if (ids.length > 0)
    db.update(cronJobs)
      .set({ applied: true })
      .where(inArray(cronJobs.id, [...ids]))
      .run()
}

/** Removes those that never reached the host. */
export const removeUnapplied = ({ db }: Context, account: string): void =>
  void db
    .delete(cronJobs)
    .where(and(eq(cronJobs.account_id, account), eq(cronJobs.applied, false)))
    .run()

/** The next due time. */
export const earliest = (db: Db): number | undefined =>
  db
    .select({ at: min(cronJobs.next_run_at) })
    .from(cronJobs)
    .where(isNotNull(cronJobs.next_run_at))
    .get()?.at ?? undefined

/** The scheduled cron jobs. */
export const scheduled = (db: Db): CronJobRow[] =>
  db.select().from(cronJobs).where(isNotNull(cronJobs.next_run_at)).all()

/** The due jobs, and whether their account may run anything. */
export const dueAt = (db: Db, now: number): (CronJobRow & { readonly active: boolean })[] =>
  db
    .select({
      job: cronJobs,
      suspended_at: accounts.suspended_at,
      importing_since: accounts.importing_since,
      terminating: accounts.terminating,
    })
    .from(cronJobs)
    .innerJoin(accounts, eq(accounts.id, cronJobs.account_id))
    .where(lte(cronJobs.next_run_at, now))
    .orderBy(asc(cronJobs.id))
    .all()
    .map(({ job, suspended_at, importing_since, terminating }) => ({
      ...job,
      active: suspended_at === null && importing_since === null && !terminating,
    }))

/** Whether any account that may run commands has a scheduled cron job. */
export const anyScheduled = (db: Db): boolean =>
  db
    .select({ one: sql`1` })
    .from(cronJobs)
    .innerJoin(accounts, eq(accounts.id, cronJobs.account_id))
    .where(
      and(
        isNotNull(cronJobs.next_run_at),
        isNull(accounts.suspended_at),
        isNull(accounts.importing_since),
        eq(accounts.terminating, false),
      ),
    )
    .limit(1)
    .get() !== undefined
