import { and, eq } from 'drizzle-orm'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import type { JobRow } from '../../runtime/tables.ts'
import type { Db } from '../../store/open.ts'
import { applyAccount, type Host, watching } from '../accounts/jobs/apply.ts'
import { accountById } from '../accounts/store.ts'
import { domainById } from '../domains/store.ts'
import { hostsOf } from '../host/host.ts'
import { applyServer, unappliedOn } from '../host/names/apply.ts'
import { allOwn } from '../host/names/own.ts'
import { accountsOf, hostRelay, purpose, relayById, targetsOf } from './store.ts'
import { type RelayRow, relays, relayTargets } from './tables.ts'

const exists =
  ({ store: { db } }: Runtime) =>
  ({ object_id }: JobRow): boolean =>
    relayById(db, object_id!) !== undefined

/** Applies a relay to whatever it takes or took the mail of, and has what waits tried again. */
export const updateJob = (host: Host): JobKind => ({
  kind: 'mail.relay.update',
  exists: exists(host.runtime),
  async run(job) {
    const id = job.row.object_id!
    const isOfServer = targetsOf(host.runtime.store.db, id).some((one) => !one.account_id && !one.domain_id)
    const settles = isOfServer ? await applyToServers(host.runtime, job) : []
    await applyToAccounts(host, id, job)
    for (const [, client] of hostsOf(host.runtime))
      await client.changeMailQueue({ change: 'retry', filter: { onHold: false } }, { signal: job.signal })
    return (ctx) => {
      for (const settle of settles) settle(ctx)
      forgetFormer(ctx.db, id)
    }
  },
})

async function applyToServers(runtime: Runtime, job: RunningJob): Promise<Settle[]> {
  const settles: Settle[] = []
  for (const own of allOwn(runtime))
    if ((await unappliedOn(own)) !== undefined) settles.push(await applyServer(own, job))
  return settles
}

/** One that fails holds up no other. */
async function applyToAccounts(host: Host, id: string, job: RunningJob): Promise<void> {
  const failures: unknown[] = []
  for (const account of accountsOf(host.runtime.store.db, id)) {
    const row = accountById(host.runtime.store.db, account)
    if (!row || row.terminating) continue
    await applyAccount(host, row, job, { areas: ['mail'], beside: true }).catch((error) => failures.push(error))
    job.signal.throwIfAborted()
  }
  if (failures.length > 0) throw failures[0]
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
