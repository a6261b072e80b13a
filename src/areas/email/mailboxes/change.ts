import type * as declared from '../../../contract/email.ts'
import { refuseFaults } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/context.ts'
import { cryptPassword, namedFault } from '../../../runtime/crypt.ts'
import type { Handler } from '../../../runtime/run.ts'
import { turnOfCaller } from '../../../runtime/shares.ts'
import type { FoundAccount } from '../../accounts/found.ts'
import { wholeAccount } from '../../accounts/store.ts'
import { addressOf } from '../address.ts'
import { refuseNeeded } from '../in-use.ts'
import { carry, carryDelete, refuseBeingDeleted } from '../objects.ts'
import type { MailboxRow } from '../tables.ts'
import { refuseQuota, refuseRate } from './limits.ts'
import { mailboxById, setMailbox, toMailbox } from './store.ts'

export type Here = Context & { readonly found: { readonly account: FoundAccount; readonly mailbox: MailboxRow } }

const shown = (ctx: Here) => toMailbox(ctx, mailboxById(ctx.db, ctx.found.mailbox.id)!)
export const addressHere = (ctx: Here): string => addressOf(ctx.db, ctx.found.mailbox)

/** Enqueues the job that applies changes of the mailbox. */
export const carryChange = (ctx: Here): string =>
  carry(ctx, ctx.found.account, 'email.account.update', ctx.found.mailbox.id)

export const updateMailbox: Handler<typeof declared.updateMailbox> = {
  handle(ctx, { body }) {
    const { account, mailbox } = ctx.found
    refuseBeingDeleted(addressHere(ctx), mailbox)
    const limits = wholeAccount(ctx)
    if (body.quota_mb !== undefined && body.quota_mb !== mailbox.quota_mb) refuseQuota(limits, body.quota_mb)
    if (body.max_per_hour !== mailbox.max_per_hour) refuseRate(limits, body.max_per_hour)
    setMailbox(ctx, mailbox.id, body)
    ctx.note({ account, object_id: mailbox.id, after: { ...body } })
    return { mailbox: shown(ctx), job_id: carryChange(ctx) }
  },
}

export const changeMailboxPassword: Handler<typeof declared.changeMailboxPassword, string> = {
  prepare: (ctx, { body }) => cryptPassword(body.new_password, turnOfCaller(ctx)),
  handle(ctx, { body }, hash) {
    const { account, mailbox } = ctx.found
    refuseFaults({ new_password: namedFault(body.new_password, mailbox.local, addressHere(ctx)) })
    refuseBeingDeleted(addressHere(ctx), mailbox)
    setMailbox(ctx, mailbox.id, { hash, password_changed_at: ctx.now })
    ctx.note({ account, object_id: mailbox.id })
    return { mailbox: shown(ctx), job_id: carry(ctx, account, 'email.account.password', mailbox.id) }
  },
}

type Suspension = Pick<MailboxRow, 'suspended_login' | 'suspended_outgoing' | 'suspended_incoming'>

function suspend(ctx: Here, suspension: Suspension) {
  const { account, mailbox } = ctx.found
  refuseBeingDeleted(addressHere(ctx), mailbox)
  setMailbox(ctx, mailbox.id, suspension)
  ctx.note({ account, object_id: mailbox.id, after: { ...suspension } })
  return { mailbox: shown(ctx), job_id: carryChange(ctx) }
}

export const suspendMailbox: Handler<typeof declared.suspendMailbox> = {
  handle: (ctx, { body: { login = true, outgoing = true, incoming = false } }) =>
    suspend(ctx, { suspended_login: login, suspended_outgoing: outgoing, suspended_incoming: incoming }),
}

export const unsuspendMailbox: Handler<typeof declared.unsuspendMailbox> = {
  handle: (ctx) => suspend(ctx, { suspended_login: false, suspended_outgoing: false, suspended_incoming: false }),
}

/** Marks the mailbox as being deleted; once the host has removed it, the row is deleted and its address is free. */
export const deleteMailbox: Handler<typeof declared.deleteMailbox> = {
  handle(ctx) {
    const { account, mailbox } = ctx.found
    const address = addressHere(ctx)
    if (mailbox.status !== 'deleting') {
      refuseNeeded(ctx, account.id, address, { mailboxes: new Map([[address, false]]) })
      setMailbox(ctx, mailbox.id, { status: 'deleting' })
      ctx.emit({ type: 'email.account.deleted', account, object_id: mailbox.id, details: { address } })
    }
    ctx.note({ account, object_id: mailbox.id, before: { address } })
    return { mailbox: shown(ctx), job_id: carryDelete(ctx, account, 'email.account.delete', mailbox.id) }
  },
}
