import { areasOf } from '../../runtime/coalesce.sql.ts'
import type { JobKind } from '../../runtime/kind.ts'
import type { Host, Scope } from '../accounts/apply.ts'
import { emailDomainById } from './domains/store.ts'
import { forwarderKind } from './forwarders/store.ts'
import { mailboxKind } from './mailboxes/store.ts'
import { applyMail, objectJobs } from './objects.ts'

/** A kind about a domain's mail, which names the parts of the host that it is about. */
const domainJob = (host: Host, kind: string): JobKind => ({
  kind,
  exists: ({ object_id }) => emailDomainById(host.runtime.store.db, object_id!) !== undefined,
  async run(job) {
    await applyMail(host, job, { areas: areasOf(job.row.payload) } as Scope)
    return undefined
  },
})

/** Kinds that bring an account's mail in line with the store. */
export const emailJobs = (host: Host): JobKind[] => [
  ...objectJobs(host, mailboxKind, ['update', 'password']),
  ...objectJobs(host, forwarderKind, ['update']),
  domainJob(host, 'email.domain.update'),
]
