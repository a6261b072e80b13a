import { and, eq, inArray, isNull } from 'drizzle-orm'
import { HostError } from '../../host/driver.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/kind.ts'
import { enqueue, unfinished } from '../../runtime/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { epochOf, getSetting, setSetting } from '../../runtime/settings.ts'
import { systemActor } from '../../runtime/system.ts'
import { jobs } from '../../runtime/tables.ts'
import type { Db } from '../../store/open.ts'
import { applyAccount, type Host } from './apply.ts'
import { accountById } from './store.ts'
import { accounts } from './tables.ts'

const kind = 'host.apply'

/** The epoch in which all accounts were last applied. */
const sweptEpoch = (db: Db): number => getSetting(db, 'swept_epoch') ?? 1

/** After a restore the host has what came after the backup: all accounts are applied, as they are in the store. */
export async function sweepAfterRestore(runtime: Runtime): Promise<void> {
  const { db, change } = runtime.store
  if (sweptEpoch(db) === epochOf(db) || isUnderWay(db)) return
  await change(() => void enqueue(runtime, { kind }, systemActor(db), runtime.id()))
}

/** Of an earlier start, which did not come to its end. */
const isUnderWay = (db: Db): boolean =>
  db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.kind, kind), isNull(jobs.lane), inArray(jobs.status, [...unfinished])))
    .get() !== undefined

/** Applies all accounts, or one: one after the other, so that new requests go first. */
export function sweepJob(host: Host): JobKind {
  const { db } = host.runtime.store
  return {
    kind,
    exists: ({ account_id }) => account_id === null || accountById(db, account_id) !== undefined,
    run: (job) => (job.row.account_id === null ? sweep(host, job) : bringBack(host, job.row.account_id, job)),
  }
}

async function bringBack(host: Host, id: string, job: RunningJob): Promise<undefined> {
  const account = accountById(host.runtime.store.db, id)
  if (!account) throw new JobError('The account no longer exists.', true)
  await applyAccount(host, account, job, { names: true, beside: true })
}

async function sweep(host: Host, job: RunningJob): Promise<Settle> {
  const { areas, store } = host.runtime
  const { db } = store
  const epoch = epochOf(db)
  const ids = appliedAccounts(db)
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
  job.log(`${ids.length} accounts on the host match the store`)
  return (ctx) => {
    setSetting(ctx.db, 'swept_epoch', epoch)
    for (const settle of besides) settle(ctx)
  }
}

/** Those that a job of their own is about to make or to end are left to it. */
export const appliedAccounts = (db: Db): string[] =>
  db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.provisioned, true), eq(accounts.terminating, false)))
    .orderBy(accounts.id)
    .all()
    .map(({ id }) => id)

/** Answers whether it was applied; a fault is in the log, and the others go on. */
async function applyOne(host: Host, id: string, job: RunningJob): Promise<boolean> {
  const account = accountById(host.runtime.store.db, id)
  if (!account || account.terminating) return true
  try {
    await applyAccount(host, account, troublesOf(job), { names: true })
    return true
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    job.log(`${account.username}: ${error.message}`, 'error')
    return false
  }
}

/** What each account is told would make a log of many thousand lines. */
const troublesOf = (job: RunningJob): RunningJob => ({
  ...job,
  log: (message, level) => level && job.log(message, level),
  progress: () => {},
})
