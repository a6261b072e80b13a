import { eq, ne } from 'drizzle-orm'
import { type Notices, noticeRowsOf, percentOf } from '../accounts/objects/notice.ts'
import { domains } from '../domains/tables.ts'
import { domainOf } from './routes.ts'
import { emailDomains, type MailLoopRow, mailboxes, mailLoops } from './tables.ts'

const megabyte = 1024 * 1024

const near = {
  kind: 'mailbox-nearly-full',
  id: mailboxes.id,
  account: mailboxes.account_id,
  since: mailboxes.near_since,
} as const

const full = noticeRowsOf(
  near,
  (db) =>
    db
      .select({ mailbox: mailboxes, domain: domains.name })
      .from(mailboxes)
      .innerJoin(domains, eq(domains.id, mailboxes.domain_id))
      .$dynamic(),
  ne(mailboxes.status, 'deleting'),
)

/** Mailboxes that use 80 % of their quota. */
const nearlyFull: Notices = ({ db }, scope) =>
  full(db, scope).map(({ mailbox, domain }) => {
    const [used, quota] = [mailbox.used_bytes, mailbox.quota_mb! * megabyte]
    return {
      kind: near.kind,
      severity: used >= quota ? 'error' : 'warn',
      object: 'mailbox',
      object_id: mailbox.id,
      name: `${mailbox.local}@${domain}`,
      detail: `The mailbox uses ${Math.ceil(used / megabyte)} of ${mailbox.quota_mb} MB: ${percentOf(used, quota)} %.`,
      since: mailbox.near_since!,
      operation: 'updateMailbox',
      account_id: mailbox.account_id,
    }
  })

const differs = {
  kind: 'dns-differs',
  id: emailDomains.domain_id,
  account: emailDomains.account_id,
  since: emailDomains.differs_since,
} as const

const different = noticeRowsOf(
  differs,
  (db) =>
    db
      .select({ row: emailDomains, name: domains.name })
      .from(emailDomains)
      .innerJoin(domains, eq(domains.id, emailDomains.domain_id))
      .$dynamic(),
  ne(domains.status, 'deleting'),
)

/** Domains whose public records differ from what their mail needs. */
const differing: Notices = ({ db }, scope) =>
  different(db, scope).map(({ row, name }) => ({
    kind: differs.kind,
    severity: 'warn',
    object: 'domain',
    object_id: row.domain_id,
    name,
    detail: 'The records of the domain are not those that its mail needs here.',
    since: row.differs_since!,
    operation: 'getEmailDns',
    account_id: row.account_id,
  }))

const loops = {
  kind: 'mail-loop',
  id: mailLoops.object_id,
  account: mailLoops.account_id,
  since: mailLoops.since,
} as const

const looped = noticeRowsOf(loops, (db) => db.select().from(mailLoops).$dynamic())

/** What sends mail on, by its kind: the object that is shown, and the operation that changes it. */
const senders = {
  forwarder: { object: 'forwarder', operation: 'updateForwarder' },
  filter: { object: 'mailbox', operation: 'setMailFilters' },
  'catch-all': { object: 'domain', operation: 'setCatchAll' },
  contact: { object: 'domain', operation: 'updateAccount' },
} as const

const loopDetails: Readonly<Record<MailLoopRow['via'], (loop: MailLoopRow) => string>> = {
  forwarder: ({ address, next }) => `Mail for ${address} loops: it is forwarded to ${next}, which leads back to it.`,
  filter: ({ address, next }) =>
    `Mail for ${address} may loop: a filter forwards it to ${next}, which leads back to it.`,
  'catch-all': ({ address, next }) => `Mail for ${address} loops: the catch-all ${next} leads back to it.`,
  contact: ({ address, next }) => `Mail for ${address} loops: the contact address ${next} leads back to it.`,
}

/** Each account is shown its own address and where it sends the mail itself, never the rest of the loop. */
const looping: Notices = ({ db }, scope) =>
  looped(db, scope).map((loop) => ({
    kind: loops.kind,
    severity: 'warn',
    object: senders[loop.via].object,
    object_id: loop.object_id,
    name: senders[loop.via].object === 'domain' ? domainOf(loop.address) : loop.address,
    detail: loopDetails[loop.via](loop),
    since: loop.since,
    operation: senders[loop.via].operation,
    account_id: loop.account_id,
  }))

export const mailNotices: Notices = (ctx, scope) => [
  ...nearlyFull(ctx, scope),
  ...differing(ctx, scope),
  ...looping(ctx, scope),
]
