import type { HostClient } from '../../../host/contract/client.ts'
import { HostError } from '../../../host/contract/driver.ts'
import type { Fleet } from '../../../host/nodes/fleet/fleet.ts'
import { JobError, type JobKind, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import { isUnreachable } from '../../../runtime/jobs/node-errors.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { accountById } from '../../accounts/store.ts'
import { nodeByName } from '../../nodes/store.ts'
import { dnsHost } from '../host.ts'
import { batchesOf, type PendingZones } from './batches.ts'
import { noteAllFailed, noteFailed, pendingFor } from './pending.sql.ts'
import { noteServed } from './store.ts'
import type { ServedRow } from './tables.ts'

export const kind = 'dns.served.apply'
/** Rows per commit. */
const perCommit = 1_000

/** Sends a node with the role `dns` the zones of other nodes' accounts, in batches. */
export function serveJob(runtime: Runtime, fleet: Fleet): JobKind {
  const { sqlite } = runtime.store
  const noted = new Set<string>()
  return {
    kind,
    exists: () => true,
    async run(job) {
      const { id, node } = job.row
      noted.delete(id)
      const rows = pendingFor(sqlite, node)
      try {
        await serve(runtime, fleet.driverOf(node), job, rows)
      } catch (error) {
        if (!isUnreachable(error) && !job.signal.aborted) {
          await noteAll(runtime, rows)
          noted.add(id)
        }
        throw error
      }
      return undefined
    },
    // Otherwise a job that died before recording its failures would be enqueued again at once.
    failed: (_ctx, { id, node }) => noted.delete(id) || noteAllFailed(sqlite, node),
  }
}

async function noteAll({ store }: Runtime, rows: readonly ServedRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += perCommit)
    await store.change(() => {
      for (const row of rows.slice(at, at + perCommit)) noteFailed(store.sqlite, row)
    })
}

async function serve(runtime: Runtime, host: HostClient, job: RunningJob, rows: readonly ServedRow[]): Promise<void> {
  const { store } = runtime
  const { node } = job.row
  let sent = 0
  let failed = 0
  for (const batch of batchesOf(pending(runtime, rows))) {
    job.signal.throwIfAborted()
    const served = await send(host, batch, job)
    await store.change(() => {
      for (const { row, zones } of served) noteServed(store, row, zones.length > 0)
    })
    failed += batch.length - served.length
    sent += batch.length
    job.progress(Math.min(100, (sent / rows.length) * 100))
  }
  if (failed > 0)
    throw new JobError(
      `The zones of ${failed} of ${sent} accounts could not be updated on ${node}; the log names them.`,
    )
  job.log(`${node} has the zones of ${sent} accounts of other nodes as they are now`)
}

/** What to send to a node for these accounts. */
export function* pending(runtime: Runtime, rows: readonly ServedRow[]): Generator<PendingZones> {
  for (const row of rows) yield { id: row.account_id, zones: desired(runtime, row), row }
}

/** Empty for a deleted account, or on a node without the role. */
function desired(runtime: Runtime, { node, account_id }: ServedRow): PendingZones['zones'] {
  const { db } = runtime.store
  const account = accountById(db, account_id)
  const isServed = account && account.node !== node && nodeByName(db, node)?.roles.includes('dns')
  return isServed ? dnsHost(runtime, account).zones : []
}

/** Returns the accounts that the node accepted: one whose zones it refuses does not block the others. */
async function send(
  host: HostClient,
  batch: readonly PendingZones[],
  job: RunningJob,
): Promise<readonly PendingZones[]> {
  try {
    await host.serveZones(
      { served: batch.map(({ id, zones }) => ({ id, zones })) },
      { signal: job.signal, waits: (line) => job.log(line) },
    )
    return batch
  } catch (error) {
    if (isUnreachable(error) || !(error instanceof HostError) || error.stage === 'unsupported') throw error
    if (batch.length > 1) return halved(host, batch, job)
    job.log(`${batch[0]!.zones.map(({ name }) => name).join(', ') || batch[0]!.id}: ${error.message}`, 'error')
    return []
  }
}

async function halved(
  host: HostClient,
  batch: readonly PendingZones[],
  job: RunningJob,
): Promise<readonly PendingZones[]> {
  const middle = Math.ceil(batch.length / 2)
  const first = await send(host, batch.slice(0, middle), job)
  return [...first, ...(await send(host, batch.slice(middle), job))]
}
