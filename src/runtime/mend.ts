import { and, eq, sql } from 'drizzle-orm'
import { prepared } from '../store/prepared.ts'
import type { Runtime } from './runtime.ts'
import { type JobRow, jobs } from './tables.ts'

/** Phrased as in the partial index, so that SQLite uses it. */
export const isUnmended = sql`${jobs.status} = 'failed' AND ${jobs.mended} = 0`

const queries = prepared((db) => {
  const mendBy = (column: typeof jobs.object_id | typeof jobs.account_id) =>
    db
      .update(jobs)
      .set({ mended: true })
      .where(and(isUnmended, eq(column, sql.placeholder('of')), eq(jobs.kind, sql.placeholder('kind'))))
      .prepare()
  return { object: mendBy(jobs.object_id), account: mendBy(jobs.account_id) }
})

/** Marks earlier failed jobs as resolved by this one; inside the change that ends it. */
export function mendEarlier({ store, kinds }: Pick<Runtime, 'store' | 'kinds'>, job: JobRow): void {
  const whose = kinds.get(job.kind)?.mends ?? 'object'
  queries(store.db)[whose].run({ of: whose === 'object' ? job.object_id : job.account_id, kind: job.kind })
}
