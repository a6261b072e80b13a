import { sql } from 'drizzle-orm'
import type { Sample } from '../../runtime/metrics/registry.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { allNodes } from './store.ts'
import type { NodeRow } from './tables.ts'
import { lastSeen } from './view.ts'

/** A single machine is not a fleet: its metrics stay as before there were nodes. Retired nodes are not watched. */
function fleetOf(db: Db): NodeRow[] {
  const all = allNodes(db)
  return all.length > 1 ? all.filter(({ state }) => state !== 'retired') : []
}

/** Metrics per node: never per account, since there may be many. */
export function measureNodes(runtime: Runtime): void {
  const { metrics, nodes: gate, clock, store } = runtime
  const seconds = (since: number): number => Math.max(0, clock.now() - since) / 1000
  const gauge = (name: string, help: string, read: (node: NodeRow) => number | null): void => {
    const samples = (): Sample[] =>
      fleetOf(store.db).flatMap((node) => {
        const value = read(node)
        return value === null ? [] : [{ value, labels: { node: node.name } }]
      })
    metrics.add({ name: `panel_node_${name}`, help, type: 'gauge', optional: true, samples })
  }
  const waiting = (node: string) =>
    store.db.get<{ jobs: number; oldest: number | null }>(
      sql`SELECT count(*) AS jobs, min(run_at) AS oldest FROM jobs WHERE node = ${node} AND status = 'queued'`,
    )!
  gauge('up', '1 while its jobs run, else 0.', ({ name }) => Number(gate.why(name) === undefined))
  gauge('last_seen_seconds', 'How long ago it was last heard of.', (node) => {
    const at = lastSeen({ runtime, now: clock.now() }, node)
    return at === null ? null : seconds(at)
  })
  gauge('accounts', 'Accounts that it has.', ({ accounts }) => accounts)
  gauge('jobs_waiting', 'Its queued jobs.', ({ name }) => waiting(name).jobs)
  gauge('oldest_job_seconds', 'How long its oldest queued job has been due; 0 if none is.', ({ name }) => {
    const { oldest } = waiting(name)
    return oldest === null ? 0 : seconds(oldest)
  })
  gauge('certificate_expiry_seconds', 'How long its certificate is still valid.', ({ certificate_expires_at: at }) =>
    at === null ? null : (at - clock.now()) / 1000,
  )
}
