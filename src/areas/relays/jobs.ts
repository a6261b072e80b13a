import { and, eq } from 'drizzle-orm'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/jobs/job-kind.ts'
import { enqueue } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import { applyAccount, type Host, watching } from '../accounts/jobs/apply.ts'
import { accountById, type FullAccount, nameOf } from '../accounts/store.ts'
import { domainById } from '../domains/store.ts'
import { hostsOf } from '../host/host.ts'
import { changeMailQueueOn } from '../host/mail-queue.ts'
import { applyServer, unappliedOn } from '../host/names/apply.ts'
import { allOwn, ownOfServer } from '../host/names/own.ts'
import { queue } from '../host/names/queue.ts'
import { sweepKind } from '../nodes/sweep.ts'
import { accountsOf, hostRelay, purpose, relayById, targetsOf } from './store.ts'
import { type RelayRow, relays, relayTargets } from './tables.ts'

const exists =
  ({ store: { db } }: Runtime) =>
  ({ object_id }: JobRow): boolean =>
    relayById(db, object_id!) !== undefined

/**
 * Applies a relay to whatever it takes or took the mail of, and has what waits tried again: here in this job, which others of
 * this machine wait for, and on each other node in its own jobs.
 */
export const updateJob = (host: Host): JobKind => ({
  kind: 'mail.relay.update',
  exists: exists(host.runtime),
  async run(job) {
    const { runtime } = host
    const id = job.row.object_id!
    const isOfServer = targetsOf(runtime.store.db, id).some((one) => !one.account_id && !one.domain_id)
    const accounts = accountsOf(runtime.store.db, id).flatMap((account) => accountById(runtime.store.db, account) ?? [])
    await beginElsewhere(runtime, accounts, isOfServer)
    const settle = isOfServer ? await applyToServer(runtime, job) : undefined
    await applyToAccounts(host, accounts, job)
    await retryAll(runtime, job)
    return (ctx) => {
      settle?.(ctx)
      forgetFormer(ctx.db, id)
    }
  },
})

const isOnLocal = ({ mail_node }: FullAccount): boolean => mail_node === localNode

/** Jobs of the nodes of other accounts, and of their servers. */
async function beginElsewhere(runtime: Runtime, accounts: readonly FullAccount[], isOfServer: boolean): Promise<void> {
  const actor = systemActor(runtime.store.db)
  await runtime.store.change(() => {
    for (const one of accounts)
      if (!isOnLocal(one) && !one.terminating)
        enqueue(runtime, { kind: sweepKind, account: nameOf(one) }, actor, runtime.id())
  })
  for (const own of isOfServer ? allOwn(runtime) : [])
    if (own.node !== localNode) await queue(own, { kind: 'server.apply' })
}

async function applyToServer(runtime: Runtime, job: RunningJob): Promise<Settle | undefined> {
  const own = ownOfServer(runtime)
  return (await unappliedOn(own)) === undefined ? undefined : applyServer(own, job)
}

/** One that fails holds up no other. */
async function applyToAccounts(host: Host, accounts: readonly FullAccount[], job: RunningJob): Promise<void> {
  const failures: unknown[] = []
  for (const { id } of accounts.filter(isOnLocal)) {
    const row = accountById(host.runtime.store.db, id)
    if (!row || row.terminating) continue
    await applyAccount(host, row, job, { areas: ['mail'], beside: true }).catch((error) => failures.push(error))
    job.signal.throwIfAborted()
  }
  if (failures.length > 0) throw failures[0]
}

/** What waits is tried again; a node that fails or never answers keeps no other from it. */
async function retryAll(runtime: Runtime, job: RunningJob): Promise<void> {
  const request = { change: 'retry', filter: { onHold: false } } as const
  await Promise.all(hostsOf(runtime).map((linked) => changeMailQueueOn(runtime, job, linked, request)))
}

function forgetFormer(db: Db, id: string): void {
  db.delete(relayTargets)
    .where(and(eq(relayTargets.relay_id, id), eq(relayTargets.gone, true)))
    .run()
  db.delete(relays)
    .where(and(eq(relays.id, id), eq(relays.status, 'deleting')))
    .run()
}

/** Sends a message by a relay, from where its mail comes from. */
export const testJob = ({ runtime, client }: Host): JobKind => ({
  kind: 'mail.relay.test',
  maxAttempts: 1,
  cancellable: true,
  exists: exists(runtime),
  secrets: ({ object_id }) => {
    const row = relayById(runtime.store.db, object_id!)
    return row?.password ? [runtime.unseal(purpose, row.password)] : []
  },
  async run(job) {
    const row = relayById(runtime.store.db, job.row.object_id!)
    if (!row) throw new JobError('The relay no longer exists.', true)
    const { hostname, clock } = runtime
    const message = { id: job.row.id, name: row.name, at: clock.now(), from: senderFor(runtime, row), hostname }
    const test = { ...hostRelay(runtime, row), ...message, to: job.row.payload['to']! }
    const { accepted, answers } = await client.testRelay(test, watching(job))
    for (const answer of answers) job.log(answer)
    if (!accepted) throw new JobError(`${row.name} did not take the message: ${answers.at(-1) ?? ''}`, true)
    return undefined
  },
})

/** A relay may take the mail of certain domains alone. */
function senderFor({ store: { db }, hostname }: Runtime, { id }: RelayRow): string {
  const { account_id, domain_id } = targetsOf(db, id).find(({ gone }) => !gone) ?? {}
  const domain = domain_id ? domainById(db, domain_id)?.name : account_id && accountById(db, account_id)?.main_domain
  return domain ? `postmaster@${domain}` : (getSetting(db, 'mail_from') ?? `panel@${hostname}`)
}
