import { sql } from 'drizzle-orm'
import type { Runtime } from '../runtime.ts'

/** Jobs that have not ended, and how long the oldest that may run has been waiting. Both are read from partial indexes. */
export function measureJobs({ metrics, store, clock }: Runtime): void {
  const live = () =>
    store.db.all<{ status: string; value: number }>(sql`
      SELECT 'queued' AS status, count(*) AS value FROM jobs WHERE status = 'queued'
      UNION ALL SELECT 'running', count(*) FROM jobs WHERE status IN ('leased', 'running')`)
  const samples = () => live().map(({ status, value }) => ({ value, labels: { status } }))
  metrics.add({ name: 'panel_jobs', help: 'Unfinished jobs.', type: 'gauge', samples })
  const oldest = () =>
    store.db.get<{ at: number | null }>(sql`SELECT min(run_at) AS at FROM jobs WHERE status = 'queued'`)
  metrics.gauge('panel_job_oldest_due_seconds', 'How long the oldest job has been due; 0 if none is.', () => {
    const at = oldest()?.at ?? undefined
    return at === undefined ? 0 : Math.max(0, clock.now() - at) / 1000
  })
}
