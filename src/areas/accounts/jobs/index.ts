import { and, eq, ne } from 'drizzle-orm'
import { superseded } from '../../../host/contract/client.ts'
import type { Fleet } from '../../../host/nodes/fleet/fleet.ts'
import {
  BULK_SILENCE_LIMIT_MS,
  JobError,
  type JobKind,
  type RunningJob,
  type Settle,
} from '../../../runtime/jobs/job-kind.ts'
import { cancelQueued } from '../../../runtime/jobs/queue.ts'
import { untilStopped } from '../../../runtime/jobs/stopping.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import type { Db } from '../../../store/open.ts'
import { withAccountLock } from '../objects/account-lock.ts'
import { partsOf } from '../objects/part.ts'
import { revisionOf } from '../objects/revision.ts'
import { belongingsOf, hostNameOf } from '../objects/state.ts'
import { reapplyJob } from '../operations/reapply.ts'
import { keepUsage } from '../operations/usage.ts'
import { accountById, type FullAccount, writeAccount } from '../store.ts'
import { accounts } from '../tables.ts'
import { applyAccount, type Host, newer, type Scope, watching } from './apply.ts'
import { sweepJob } from './sweep.ts'

/** The steps of `apply`. */
export const applySteps = ['prepare', 'apply', 'measure'] as const

/** Applies the account's state to the host, measures it, and marks it provisioned. */
export async function apply(host: Host, job: RunningJob, scope: Scope = {}): Promise<Settle | undefined> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  const state = await applyAccount(host, account, job, scope)
  if (!state) return undefined
  const { username } = state
  job.step('measure')
  const named = hostNameOf({ ...account, applied_username: username })
  const [usage] = await host.client.usage({ accounts: [named] }, watching(job))
  return (ctx) => {
    writeAccount(ctx.store.sqlite, { provisioned: true, applied_username: username }, account.id)
    if (usage) keepUsage(ctx.runtime, usage, ctx.now)
    for (const { applied } of partsOf(ctx.runtime)) applied?.(ctx, account, state)
  }
}

/** Waits for the jobs that were asked to stop. */
async function suspend(host: Host, job: RunningJob): Promise<Settle | undefined> {
  job.step('stop')
  await untilStopped(host.runtime, job.row.account_id!, job.signal)
  return apply(host, job)
}

export async function terminate(host: Host, job: RunningJob): Promise<Settle | undefined> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) return undefined
  job.step('stop')
  await untilStopped(host.runtime, account.id, job.signal)
  const removed = (ctx: Context): void => {
    cancelQueued(ctx.runtime, account.id)
    ctx.db.delete(accounts).where(eq(accounts.id, account.id)).run()
  }
  if (host.runtime.nodes.isAbandoned(account.node)) {
    job.log(`Node ${account.node} was given up: nothing of ${account.username} was saved or removed there.`, 'warn')
    return removed
  }
  await leave(host, account, job)
  return removed
}

async function leave(host: Host, account: FullAccount, job: RunningJob): Promise<void> {
  for (const { leaving } of partsOf(host.runtime)) await leaving?.(host.runtime, host.client, account, job)
  job.step('remove')
  const order = revisionOf(host.runtime.store.db, account)
  const belongings = belongingsOf(host.runtime, account.id)
  const removed = await withAccountLock(host, account.id, job, () =>
    host.client.remove({ account: hostNameOf(account), order, belongings }, watching(job)),
  )
  job.log(removed === superseded ? newer : `${account.username} removed from the host; its home is in the trash`)
}

/** A partly created account must not keep its names. */
export async function undoCreate(host: Host, row: JobRow, signal: AbortSignal): Promise<void> {
  const { runtime, client } = host
  const { db } = runtime.store
  const account = accountById(db, row.account_id!)
  if (!account) return
  const belongings = belongingsOf(runtime, account.id)
  const order = revisionOf(db, account)
  await withAccountLock(host, account.id, { row }, () =>
    client.remove({ account: hostNameOf(account), order, belongings }, { signal }),
  )
}

/** Deletes an account whose creation failed; anything assigned to a reseller since goes to its owner. */
export function forget(ctx: Context, { account_id, owner_id }: Pick<JobRow, 'account_id' | 'owner_id'>): void {
  const id = account_id!
  for (const { forgotten } of partsOf(ctx.runtime)) forgotten?.(ctx, id)
  const heir = owner_id === id ? getSetting(ctx.db, 'root_id')! : owner_id
  ctx.db
    .update(accounts)
    .set({ owner_id: heir })
    .where(and(eq(accounts.owner_id, id), ne(accounts.id, id)))
    .run()
  ctx.db.delete(accounts).where(eq(accounts.id, id)).run()
}

/** A kind of job that applies parts of an account's state. */
export const hostJob = (host: Host, kind: string, scope: Scope): JobKind => ({
  kind,
  steps: applySteps,
  run: (job) => apply(host, job, scope),
})

/** Before that nothing of it runs, and ending it waits for its creation. */
const isProvisioned = (db: Db, accountId: string): boolean => accountById(db, accountId)?.provisioned ?? false

/** Kinds that apply one account's state. */
export function accountJobs(host: Host, fleet: Fleet): JobKind[] {
  const lifecycle = (kind: string, scope: Scope = {}): JobKind => hostJob(host, kind, scope)
  return [
    {
      ...lifecycle('account.create', { needsHome: true }),
      undo: (job, signal) => undoCreate(host, job, signal),
      failed: (ctx, job) => forget(ctx, job),
    },
    lifecycle('account.update'),
    {
      kind: 'account.suspend',
      urgent: isProvisioned,
      steps: ['stop', ...applySteps],
      run: (job) => suspend(host, job),
    },
    lifecycle('account.unsuspend'),
    lifecycle('account.change_package'),
    reapplyJob(host.runtime.store.db),
    sweepJob(host, fleet),
    {
      kind: 'account.terminate',
      urgent: isProvisioned,
      silenceLimitMs: BULK_SILENCE_LIMIT_MS,
      steps: ['stop', 'backup', 'remove'],
      maxAttempts: 5,
      run: (job) => terminate(host, job),
    },
  ]
}
