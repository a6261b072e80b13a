import { and, eq, ne } from 'drizzle-orm'
import { type HostClient, type HostOptions, superseded } from '../../host/client.ts'
import type { HostArea } from '../../host/driver.ts'
import type { Context } from '../../runtime/context.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { orderOf } from './order.ts'
import { partsOf } from './part.ts'
import { reapplyJob } from './reapply.ts'
import { hostNameOf, stateOf } from './state.ts'
import { accountById, type FullAccount, writeAccount } from './store.ts'
import { accounts } from './tables.ts'
import { keepUsage } from './usage.ts'

interface Host {
  readonly runtime: Runtime
  readonly client: HostClient
}

/** What a job of an account is about. */
interface Scope {
  /** All of them if not given. */
  readonly areas?: readonly HostArea[]
  /** The job's own object lies in the home: a fault there fails the job, once the rest is applied. */
  readonly needsHome?: boolean
}

const newer = 'The host has a newer state of this account already; nothing was changed.'

/** Makes the host match what the store says of the job's account, measures it, and marks it provisioned. */
async function apply(host: Host, job: RunningJob, scope: Scope = {}): Promise<Settle | undefined> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  if (!(await applyAccount(host, account, scope, job))) return undefined
  const named = hostNameOf({ ...account, applied_username: account.username })
  const [usage] = await host.client.usage([named], watching(job))
  return (ctx) => {
    writeAccount(ctx.store.sqlite, { provisioned: true, applied_username: account.username }, account.id)
    if (usage) keepUsage(ctx.store, usage, ctx.now)
  }
}

/** Answers whether the host has this state now: not when it has a newer one. */
async function applyAccount(
  host: Host,
  account: FullAccount,
  { areas, needsHome }: Scope,
  job: RunningJob,
): Promise<boolean> {
  const { runtime, client } = host
  const server = { hostname: runtime.hostname, nameservers: nameserversOf(host, account.owner_id) }
  const order = orderOf(runtime.store.db, account)
  const result = await client.apply({ order, server, account: stateOf(runtime, account), areas }, watching(job))
  if (result === superseded) job.log(newer)
  if (result === superseded) return false
  const changed = result.areas.reduce((sum, area) => sum + area.changed, 0)
  job.log(`${account.username}: ${changed} files changed on the host`)
  for (const { message } of result.warnings) {
    if (needsHome) throw new JobError(message)
    job.log(message, 'warn')
  }
  return true
}

/** The job hears what becomes of a command. */
const watching = (job: RunningJob): HostOptions => ({
  signal: job.signal,
  waits: (line) => job.log(line, 'warn'),
  progress: (line, done) => {
    job.log(line)
    job.progress(done * 90)
  },
})

/** Those of whoever owns the account; root's accounts have the server itself. */
const nameserversOf = ({ runtime }: Host, owner: string): readonly string[] =>
  partsOf(runtime).flatMap(({ nameservers }) => nameservers?.(runtime.store.db, owner) ?? [])

async function terminate(host: Host, job: RunningJob): Promise<Settle | undefined> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) return undefined
  const order = orderOf(host.runtime.store.db, account)
  const removed = await host.client.remove(hostNameOf(account), order, watching(job))
  job.log(removed === superseded ? newer : `${account.username} removed from the host; its home is in the trash`)
  return (ctx) => void ctx.db.delete(accounts).where(eq(accounts.id, account.id)).run()
}

/** What was made of an account that cannot be made whole must not hold its names. */
async function undoCreate({ runtime, client }: Host, accountId: string, signal: AbortSignal): Promise<void> {
  const { db } = runtime.store
  const account = accountById(db, accountId)
  if (account) await client.remove(hostNameOf(account), orderOf(db, account), { signal })
}

/** An account that never came to be; what a reseller was given meanwhile goes to its own owner. */
function forget(ctx: Context, { account_id, owner_id }: JobRow): void {
  const id = account_id!
  const heir = owner_id === id ? getSetting(ctx.db, 'root_id')! : owner_id
  ctx.db
    .update(accounts)
    .set({ owner_id: heir })
    .where(and(eq(accounts.owner_id, id), ne(accounts.id, id)))
    .run()
  ctx.db.delete(accounts).where(eq(accounts.id, id)).run()
}

/** Kinds that bring one account in line with the store. */
export function accountJobs(host: Host): JobKind[] {
  const lifecycle = (kind: string, scope?: Scope): JobKind => ({ kind, run: (job) => apply(host, job, scope) })
  return [
    {
      ...lifecycle('account.create', { needsHome: true }),
      undo: (job, signal) => undoCreate(host, job.account_id!, signal),
      failed: (ctx, job) => forget(ctx, job),
    },
    lifecycle('account.update'),
    lifecycle('account.suspend'),
    lifecycle('account.unsuspend'),
    lifecycle('account.change_package'),
    reapplyJob(host.runtime.store.db),
    { kind: 'account.terminate', maxAttempts: 5, run: (job) => terminate(host, job) },
  ]
}
