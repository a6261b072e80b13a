import type { HostArea } from '../../host/contract/driver.ts'
import type { Outgoing } from '../../outgoing/client.ts'
import type { Lookups } from '../../outgoing/lookups.ts'
import { areasOf } from '../../runtime/jobs/coalesce.sql.ts'
import type { JobKind } from '../../runtime/jobs/job-kind.ts'
import type { JobRow } from '../../runtime/tables.ts'
import type { Host } from '../accounts/jobs/apply.ts'
import { applyFor, objectJobs } from '../accounts/objects/object-jobs.ts'
import { accountById } from '../accounts/store.ts'
import { noteApplied } from '../dns/jobs.ts'
import { hostsOf } from '../host/host.ts'
import { changeMailQueueOn } from '../host/mail-queue.ts'
import { checkJob } from './dns/check.ts'
import { emailDomainById } from './domains/store.ts'
import { scope } from './objects.ts'
import { queueJob } from './queue/change.ts'
import { checkNew } from './relay/check.ts'
import { forwarders, mailboxes } from './tables.ts'

const hasZones = (areas: readonly HostArea[] | undefined): boolean => areas?.includes('dns') ?? true

/** A kind that applies certain parts of the host. */
const areaJob = (host: Host, kind: string, more: Pick<JobKind, 'exists'> = {}): JobKind => ({
  kind,
  ...more,
  async run(job) {
    const areas = areasOf(job.row.payload) as readonly HostArea[] | undefined
    const state = await applyFor(host, job, { ...(areas && { areas }) })
    return state && hasZones(areas) ? (ctx) => noteApplied(ctx, state) : undefined
  },
})

/** Applies a domain's mail. A relay is checked before it is used, and then what waits is tried again. */
function domainJob(host: Host, outgoing: Outgoing, exists: NonNullable<JobKind['exists']>): JobKind {
  const { runtime } = host
  const kind = areaJob(host, 'email.domain.update', { exists })
  return {
    ...kind,
    async run(job) {
      await checkNew({ runtime, job }, outgoing)
      const settle = await kind.run(job)
      const account = job.row.payload['relay'] && accountById(runtime.store.db, job.row.account_id!)
      if (!account) return settle
      const filter = { onHold: false, uids: [account.uid] }
      for (const linked of hostsOf(runtime, account.mail_node))
        await changeMailQueueOn(runtime, job, linked, { change: 'retry', filter })
      return settle
    },
  }
}

/** Kinds that apply an account's mail. */
export function emailJobs(host: Host, lookups: Lookups, outgoing: Outgoing): JobKind[] {
  const exists = ({ object_id }: JobRow): boolean => emailDomainById(host.runtime.store.db, object_id!) !== undefined
  return [
    ...objectJobs(host, {
      table: mailboxes,
      scope,
      create: 'email.account.create',
      changes: ['email.account.update', 'email.account.password'],
      delete: 'email.account.delete',
    }),
    ...objectJobs(host, {
      table: forwarders,
      scope,
      create: 'email.forwarder.create',
      changes: ['email.forwarder.update'],
      delete: 'email.forwarder.delete',
    }),
    domainJob(host, outgoing, exists),
    ...['dkim.update', 'dkim.rotate'].map((kind) => areaJob(host, `email.${kind}`, { exists })),
    areaJob(host, 'email.spam.update'),
    checkJob(host.runtime, lookups),
    queueJob(host.runtime),
  ]
}
