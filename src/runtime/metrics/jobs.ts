import { sql } from 'drizzle-orm'
import type { Runtime } from '../runtime.ts'

/**
 * Unfinished jobs, and how long the oldest runnable one has waited; excludes unreachable nodes. Reads partial indexes
 * only.
 */
export function measureJobs({ metrics, store, clock, nodes }: Runtime): void {
  const live = () =>
    store.db.all<{ status: string; value: number }>(sql`
      SELECT 'queued' AS status, count(*) AS value FROM jobs WHERE status = 'queued'
      UNION ALL SELECT 'running', count(*) FROM jobs WHERE status IN ('leased', 'running')`)
  const samples = () => live().map(({ status, value }) => ({ value, labels: { status } }))
  metrics.add({ name: 'panel_jobs', help: 'Unfinished jobs.', type: 'gauge', samples })
  const oldestOf = (node: string) =>
    store.db.get<{ at: number | null }>(
      sql`SELECT min(run_at) AS at FROM jobs WHERE node = ${node} AND status = 'queued'`,
    )?.at ?? Number.POSITIVE_INFINITY
  metrics.gauge('panel_job_oldest_due_seconds', 'How long the oldest job has been due; 0 if none is.', () => {
    const at = Math.min(...nodes.live.map(oldestOf))
    return Math.max(0, clock.now() - at) / 1000
  })
}
