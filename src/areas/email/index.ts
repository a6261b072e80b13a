import type { Area } from '../../runtime/area.ts'
import { beginMail } from './domains/store.ts'
import { mailHost } from './host.ts'
import { mailboxesByName } from './lookup.ts'
import { mailboxOperations } from './mailboxes/operations.ts'
import { mailboxesOf, mailboxKind } from './mailboxes/store.ts'
import { objectJobs } from './objects.ts'
import { stored } from './stored.ts'
import type { MailboxRow } from './tables.ts'
import { usesOf } from './uses.ts'

declare module '../../runtime/found.ts' {
  interface Found {
    '/accounts/{id}/email/accounts/{mid}': { mailbox: MailboxRow }
  }
}

export const email = {
  name: 'email',
  handlers: mailboxOperations,
  lookup: { mailbox: mailboxesByName },
  finders: {
    '/accounts/{id}/email/accounts/{mid}': (ctx, { id, mid }) => ({ mailbox: mailboxesOf.find(ctx, id, mid) }),
  },
  jobs: (runtime, { host }) => objectJobs({ runtime, client: host }, mailboxKind, ['update', 'password']),
  ofAccount: {
    counts: { email_accounts: mailboxesOf.count },
    host: { mail: mailHost },
  },
  ofDomain: { created: beginMail, uses: usesOf },
  stored,
} satisfies Area
