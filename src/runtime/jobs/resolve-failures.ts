import { and, eq, sql } from 'drizzle-orm'
import { prepared } from '../../store/prepared.ts'
import type { Runtime } from '../runtime.ts'
import { type JobRow, jobs } from '../tables.ts'

/** Phrased as in the partial index, so that SQLite uses it. */
export const isUnresolved = sql`${jobs.status} = 'failed' AND ${jobs.mended} = 0`

const queries = prepared((db) => {
  const resolveBy = (column: typeof jobs.object_id | typeof jobs.account_id) =>
    db
      .update(jobs)
      .set({ mended: true })
      .where(and(isUnresolved, eq(column, sql.placeholder('of')), eq(jobs.kind, sql.placeholder('kind'))))
      .prepare()
  return { object: resolveBy(jobs.object_id), account: resolveBy(jobs.account_id) }
})

/** Marks earlier failed jobs as resolved by this one; inside the change that ends it. */
export function resolveEarlierFailures({ store, kinds }: Pick<Runtime, 'store' | 'kinds'>, job: JobRow): void {
  const subject = kinds.get(job.kind)?.resolves ?? 'object'
  queries(store.db)[subject].run({ of: subject === 'object' ? job.object_id : job.account_id, kind: job.kind })
}
