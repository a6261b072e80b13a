import type * as declared from '../../../contract/email.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { atDomain } from '../address.ts'
import { mailboxes } from '../tables.ts'
import { changeMailboxPassword, deleteMailbox, suspendMailbox, unsuspendMailbox, updateMailbox } from './change.ts'
import { getMailboxClientConfig } from './client-config.ts'
import { createMailbox } from './create.ts'
import { mailboxesOf, toMailbox } from './store.ts'

const listMailboxes: Handler<typeof declared.listMailboxes> = {
  handle(ctx, { query: { domain, ...query } }) {
    const { id } = ctx.found.account
    const { items, total } = mailboxesOf.page(ctx, id, query, atDomain(ctx, id, mailboxes, domain))
    return { items: items.map((row) => toMailbox(ctx, row)), total }
  },
}

const getMailbox: Handler<typeof declared.getMailbox> = { handle: (ctx) => toMailbox(ctx, ctx.found.mailbox) }

export const mailboxOperations = {
  listMailboxes,
  createMailbox,
  getMailbox,
  updateMailbox,
  changeMailboxPassword,
  suspendMailbox,
  unsuspendMailbox,
  deleteMailbox,
  getMailboxClientConfig,
}
