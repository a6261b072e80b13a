import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { HostClient } from '../../../host/contract/client.ts'
import { HostError } from '../../../host/contract/driver.ts'
import type { Fleet } from '../../../host/nodes/fleet/fleet.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/jobs/job-kind.ts'
import { isUnreachable } from '../../../runtime/jobs/node-errors.ts'
import { enqueue, unfinished } from '../../../runtime/jobs/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { epochOf, getSetting, setSetting } from '../../../runtime/settings/settings.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { jobs } from '../../../runtime/tables.ts'
import { localNode } from '../../../shared/node-name.ts'
import { untilAny } from '../../../shared/until-any.ts'
import type { Db } from '../../../store/open.ts'
import { allNodes, passUid } from '../../nodes/store.ts'
import { sweepKind as kind, sweepOf } from '../../nodes/sweep.ts'
import { withoutKnown } from '../objects/objects.ts'
import { accountById } from '../store.ts'
import { accounts } from '../tables.ts'
import { applyAccount, type Host } from './apply.ts'

/** How long one account may take, so that it does not hold up the others. */
const ACCOUNT_TIMEOUT_MS = 5 * 60_000
const timedOut = new JobError('The host did not apply it within 5 minutes.')

/** The limit of one agent request. */
const BATCH_SIZE = 1000

declare module '../../../runtime/settings/settings.ts' {
  interface Settings {
    /** By node, the epoch in which all its accounts were last applied, for other nodes. */
    swept_nodes: Record<string, number>
  }
}

const sweptEpoch = (db: Db, node: string): number =>
  (node === localNode ? getSetting(db, 'swept_epoch') : getSetting(db, 'swept_nodes')?.[node]) ?? 1

function noteSwept(db: Db, node: string, epoch: number): void {
  if (node === localNode) setSetting(db, 'swept_epoch', epoch)
  else setSetting(db, 'swept_nodes', { ...getSetting(db, 'swept_nodes'), [node]: epoch })
}

/** After a restore the hosts are ahead of the store: re-applies all accounts. */
export async function sweepAfterRestore(runtime: Runtime): Promise<void> {
  const { db, change } = runtime.store
  const epoch = epochOf(db)
  const reachable = allNodes(db).filter(({ state }) => state !== 'retired')
  const due = reachable.filter(({ name }) => sweptEpoch(db, name) !== epoch && !isInProgress(db, name))
  if (due.length === 0) return
  await change(() => {
    for (const node of due) enqueue(runtime, sweepOf(node), systemActor(db), runtime.id())
  })
}

const activeSweeps = (db: Db) =>
  db
    .select({ id: jobs.id, node: jobs.node })
    .from(jobs)
    .where(and(eq(jobs.kind, kind), isNull(jobs.account_id), inArray(jobs.status, [...unfinished])))
    .all()

/** A sweep of an earlier start that has not finished. */
const isInProgress = (db: Db, node: string): boolean => activeSweeps(db).some((one) => one.node === node)

/** Applies all accounts of a node, or one. One at a time, so that new requests go first. */
export function sweepJob(host: Host, fleet: Fleet): JobKind {
  const { db } = host.runtime.store
  return {
    kind,
    exists: ({ account_id }) => account_id === null || accountById(db, account_id) !== undefined,
    run: (job) => (job.row.account_id === null ? sweep(host, fleet, job) : reactivate(host, job.row.account_id, job)),
  }
}

async function reactivate(host: Host, id: string, job: RunningJob): Promise<undefined> {
  const account = accountById(host.runtime.store.db, id)
  if (!account) throw new JobError('The account no longer exists.', true)
  await applyAccount(host, account, job, { names: true, beside: true })
}

async function sweep(host: Host, fleet: Fleet, job: RunningJob): Promise<Settle> {
  const { areas, store } = host.runtime
  const { db } = store
  const epoch = epochOf(db)
  const { node } = job.row
  if (sweptEpoch(db, node) !== epoch) await passUnknown(host.runtime, fleet.driverOf(node), job)
  const ids = appliedAccounts(db, node)
  const besides: Settle[] = []
  for (const { ofSweep } of areas) if (ofSweep) besides.push(await ofSweep(host.runtime, job))
  let failed = 0
  for (const [place, id] of ids.entries()) {
    job.signal.throwIfAborted()
    if (!(await applyOne(host, id, job))) failed++
    job.progress(((place + 1) / ids.length) * 100)
  }
  if (failed > 0)
    throw new JobError(`${failed} of ${ids.length} accounts could not be updated on the host; the log names them.`)
  if (node === localNode) nameOthers(host.runtime, job)
  job.log(`${ids.length} accounts on ${node === localNode ? 'the host' : node} match the store`)
  return (ctx) => {
    noteSwept(ctx.db, node, epoch)
    for (const { nodeSwept } of areas) nodeSwept?.(ctx, node)
    for (const settle of besides) settle(ctx)
  }
}

/** Logs what remains to be done after this job. */
function nameOthers({ store, nodes }: Runtime, job: RunningJob): void {
  for (const { id, node } of activeSweeps(store.db)) {
    if (node === localNode) continue
    const why = nodes.why(node)
    job.log(
      `Accounts on ${node} will be handled by job ${id}${why === undefined ? '' : `, which is waiting: ${why}`}`,
      'warn',
    )
  }
}

/** User ids assigned after the backup are not reused: files may belong to them. Other nodes forget such accounts. */
async function passUnknown(runtime: Runtime, client: HostClient, { row, signal }: RunningJob): Promise<void> {
  const { areas, store } = runtime
  const ids = (await client.listAccounts({}, { signal })).map(({ id }) => id)
  const unknown = withoutKnown(store.db, ids)
  let highest = 0
  for (let at = 0; at < unknown.length; at += BATCH_SIZE)
    for (const { uid = 0 } of await client.listAccounts({ ids: unknown.slice(at, at + BATCH_SIZE) }, { signal }))
      highest = Math.max(highest, uid)
  if (unknown.length === 0) return
  await store.change(() => {
    if (highest > 0) passUid(store.db, row.node, highest)
    for (const { unknownAccounts } of areas) unknownAccounts?.(runtime, unknown, row.node)
  })
}

/** The accounts of one node, or all, except those being created or terminated by their own job. */
export const appliedAccounts = (db: Db, node?: string): string[] =>
  db
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      and(eq(accounts.provisioned, true), eq(accounts.terminating, false), node ? eq(accounts.node, node) : undefined),
    )
    .orderBy(accounts.id)
    .all()
    .map(({ id }) => id)

/** Returns whether it was applied; errors are logged, and the others continue. */
async function applyOne(host: Host, id: string, job: RunningJob): Promise<boolean> {
  const account = accountById(host.runtime.store.db, id)
  if (!account || account.terminating) return true
  try {
    await withLimit(host.runtime, job, (limited) => applyAccount(host, account, troublesOf(limited), { names: true }))
    return true
  } catch (error) {
    if (isUnreachable(error) || !(error instanceof HostError || error === timedOut)) throw error
    job.log(`${account.username}: ${(error as Error).message}`, 'error')
    return false
  }
}

/** Continues with the next account also when the host never answers. */
async function withLimit<T>(
  { clock }: Runtime,
  job: RunningJob,
  work: (limited: RunningJob) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const cancel = clock.after(ACCOUNT_TIMEOUT_MS, () => late.abort(timedOut))
  const end = new Promise<never>((_resolve, reject) => {
    late.signal.addEventListener('abort', () => reject(timedOut))
  })
  try {
    return await untilAny([job.signal, late.signal], (signal) => Promise.race([work({ ...job, signal }), end]))
  } finally {
    cancel()
  }
}

/** Keeps only lines with a level: the progress of thousands of accounts would make the log too long. */
const troublesOf = (job: RunningJob): RunningJob => ({
  ...job,
  log: (message, level) => level && job.log(message, level),
  progress: () => {},
})
