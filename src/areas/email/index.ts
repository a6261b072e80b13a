import type { Area } from '../../runtime/area.ts'
import { emailDomainOperations, findMail } from './domains/operations.ts'
import type { Mail } from './domains/shown.ts'
import { beginMail } from './domains/store.ts'
import { forwarderOperations } from './forwarders/operations.ts'
import { forwardersOf } from './forwarders/store.ts'
import { mailHost } from './host.ts'
import { emailJobs } from './jobs.ts'
import { forwardersByName, mailboxesByName } from './lookup.ts'
import { autoresponderOperations } from './mailboxes/autoresponder.ts'
import { mailboxOperations } from './mailboxes/operations.ts'
import { mailboxesOf } from './mailboxes/store.ts'
import { moveAddresses } from './move.ts'
import { stored } from './stored.ts'
import type { ForwarderRow, MailboxRow } from './tables.ts'
import { usesOf } from './uses.ts'

declare module '../../runtime/found.ts' {
  interface Found {
    '/accounts/{id}/email/accounts/{mid}': { mailbox: MailboxRow }
    '/accounts/{id}/email/forwarders/{fid}': { forwarder: ForwarderRow }
    '/accounts/{id}/email/domains/{did}': { mail: Mail }
  }
}

export const email = {
  name: 'email',
  handlers: { ...mailboxOperations, ...autoresponderOperations, ...forwarderOperations, ...emailDomainOperations },
  lookup: { mailbox: mailboxesByName, forwarder: forwardersByName },
  finders: {
    '/accounts/{id}/email/accounts/{mid}': (ctx, { id, mid }) => ({ mailbox: mailboxesOf.find(ctx, id, mid) }),
    '/accounts/{id}/email/forwarders/{fid}': (ctx, { id, fid }) => ({ forwarder: forwardersOf.find(ctx, id, fid) }),
    '/accounts/{id}/email/domains/{did}': (ctx, { id, did }) => ({ mail: findMail(ctx, id, did) }),
  },
  jobs: (runtime, { host }) => emailJobs({ runtime, client: host }),
  ofAccount: {
    counts: { email_accounts: mailboxesOf.count },
    host: { mail: mailHost },
  },
  ofDomain: { created: beginMail, changed: moveAddresses, uses: usesOf },
  stored,
} satisfies Area
