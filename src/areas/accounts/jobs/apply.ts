import { type HostClient, type HostOptions, superseded } from '../../../host/contract/client.ts'
import type { AccountState, HostArea, ServerConfig } from '../../../host/contract/driver.ts'
import { JobError, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import { withAccountLock } from '../objects/account-lock.ts'
import { partsOf } from '../objects/part.ts'
import { revisionOf } from '../objects/revision.ts'
import { stateOf } from '../objects/state.ts'
import { noteStateSize } from '../objects/state-size.ts'
import { accountById, type FullAccount } from '../store.ts'

/** What a job needs to reach the host. */
export interface Host {
  readonly runtime: Runtime
  readonly client: HostClient
}

/** What a job applies. */
export interface Scope {
  /** All by default. */
  readonly areas?: readonly HostArea[]
  /** The job's object lies in the home: an error there fails the job, after the rest is applied. */
  readonly needsHome?: boolean
  /** The job deletes its object: it fails while what is left of it cannot be moved to the trash. */
  readonly deletes?: true
  /** Logs each file that differed from the store. */
  readonly names?: true
  /** It runs beside the account's other jobs: nothing is applied to an account that is being terminated. */
  readonly beside?: boolean
}

export const newer = 'The host already has a newer state of this account; nothing was changed.'

/** Returns the state that the host has now; undefined if it has a newer one. */
export async function applyAccount(
  host: Host,
  account: FullAccount,
  job: RunningJob,
  scope: Scope = {},
): Promise<AccountState | undefined> {
  const { runtime } = host
  job.step('prepare')
  for (const { prepare } of partsOf(runtime)) await prepare?.(runtime, account, scope.areas)
  return withAccountLock(host, account.id, job, async () => {
    const now = accountById(runtime.store.db, account.id)
    job.signal.throwIfAborted()
    if (!now) throw new JobError('The account no longer exists.', true)
    if (scope.beside && now.terminating) throw new JobError('The account is being terminated.', true)
    return applyToHost(host, now, job, scope)
  })
}

async function applyToHost(
  host: Host,
  account: FullAccount,
  job: RunningJob,
  { areas, needsHome, deletes, names }: Scope,
): Promise<AccountState | undefined> {
  const { runtime, client } = host
  const server = serverOf(host, account.owner_id)
  const order = revisionOf(runtime.store.db, account)
  const state = stateOf(runtime, account)
  noteStateSize(runtime, account, state)
  if (names) await nameDifferences(host, account, job)
  job.step('apply')
  const result = await client.apply({ order, server, account: state, areas }, watching(job))
  if (result === superseded) {
    job.log(newer)
    return undefined
  }
  const changed = result.areas.reduce((sum, area) => sum + area.changed, 0)
  job.log(`${account.username}: ${changed} ${changed === 1 ? 'file' : 'files'} changed on the host`)
  for (const { kind, object, message } of result.warnings) {
    // Only the customer can fix it: retries would hold up the account's other jobs.
    if (kind === 'trash' && deletes && object === job.row.object_id) throw new JobError(message, true)
    if (kind === 'home' && needsHome) throw new JobError(message)
    job.log(message, 'warn')
  }
  return state
}

const maxNamed = 100

/** With an explicit level, so that a sweep's log keeps these lines. */
async function nameDifferences(host: Host, account: FullAccount, job: RunningJob): Promise<void> {
  const found = await differencesOf(host, account, watching(job))
  for (const { path, change, note } of found.slice(0, maxNamed))
    job.log(`${account.username}: ${path}: ${change}${note ? `, ${note}` : ''}`, 'info')
  if (found.length > maxNamed) job.log(`${account.username}: ${found.length - maxNamed} more differences`, 'info')
}

/** How the host differs from the store's state of an account; read-only. */
export const differencesOf = (host: Host, account: FullAccount, options: HostOptions) =>
  host.client.diff({ server: serverOf(host, account.owner_id), account: stateOf(host.runtime, account) }, options)

/** The server as an owner's accounts see it. */
export const serverOf = (host: Host, ownerId: string): ServerConfig => ({
  hostname: host.runtime.hostname,
  nameservers: nameserversOf(host, ownerId),
  ...Object.assign({}, ...partsOf(host.runtime).map(({ server }) => server?.(host.runtime.store.db))),
})

/** Applies the store's state after a failed creation, which the store no longer has. */
export async function reapplyAccount(
  host: Host,
  row: JobRow,
  signal: AbortSignal,
  scope: Scope = {},
): Promise<AccountState | undefined> {
  const account = accountById(host.runtime.store.db, row.account_id!)
  return account && applyAccount(host, account, unheard(row, signal), scope)
}

/** A job that has ended, without log or progress. */
export const unheard = (row: JobRow, signal: AbortSignal): RunningJob => ({
  row,
  signal,
  log: () => {},
  progress: () => {},
  step: () => {},
})

/** Passes a command's progress to the job. */
export const watching = (job: RunningJob): HostOptions => ({
  signal: job.signal,
  waits: (line) => job.log(line, 'warn'),
  progress: (line, done) => {
    job.log(line)
    job.progress(done * 90)
  },
})

/** The name servers of the account's owner; for root's accounts, the server's own. */
const nameserversOf = ({ runtime }: Host, owner: string): readonly string[] =>
  partsOf(runtime).flatMap(({ nameservers }) => nameservers?.(runtime.store.db, owner) ?? [])
