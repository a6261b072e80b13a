import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import { prepared } from '../../store/prepared.ts'
import type { Runtime } from '../runtime.ts'
import { type JobRow, jobs } from '../tables.ts'

/** Phrased as in the partial index, so that SQLite uses it. */
export const isUnresolved = sql`${jobs.status} = 'failed' AND ${jobs.mended} = 0`

/** What needs attention is compared each minute as a whole: a caller must not add to it without end. */
const MAX_UNRESOLVED = 20
/** SQLite has no offset without a limit. */
const ALL = 1_000_000

const queries = prepared((db) => {
  const resolveBy = (column: typeof jobs.object_id | typeof jobs.account_id) =>
    db
      .update(jobs)
      .set({ mended: true })
      .where(and(isUnresolved, eq(column, sql.placeholder('of')), eq(jobs.kind, sql.placeholder('kind'))))
      .prepare()
  const ofKind = and(isUnresolved, eq(jobs.account_id, sql.placeholder('of')), eq(jobs.kind, sql.placeholder('kind')))
  const older = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(ofKind)
    .orderBy(desc(jobs.finished_at), desc(jobs.id))
    .limit(ALL)
    .offset(MAX_UNRESOLVED)
  return {
    object: resolveBy(jobs.object_id),
    account: resolveBy(jobs.account_id),
    older: db.update(jobs).set({ mended: true }).where(inArray(jobs.id, older)).prepare(),
  }
})

/** Marks earlier failed jobs as resolved by this one; inside the change that ends it. */
export function resolveEarlierFailures({ store, kinds }: Pick<Runtime, 'store' | 'kinds'>, job: JobRow): void {
  const subject = kinds.get(job.kind)?.resolves ?? 'object'
  queries(store.db)[subject].run({ of: subject === 'object' ? job.object_id : job.account_id, kind: job.kind })
}

/** Only the newest failures of a kind need attention in an account; inside the change that ends one. */
export const dropOldFailures = ({ store }: Pick<Runtime, 'store'>, { account_id, kind }: JobRow): void =>
  void (account_id !== null && queries(store.db).older.run({ of: account_id, kind }))
