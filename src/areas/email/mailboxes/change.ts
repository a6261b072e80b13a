import type * as declared from '../../../contract/email.ts'
import { refuseInvalid } from '../../../contract/problem.ts'
import { turnOfCaller } from '../../../runtime/jobs/shares.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { cryptPassword, passwordError } from '../../../runtime/security/crypt.ts'
import type { FoundAccount } from '../../accounts/objects/find-account.ts'
import { fullAccount } from '../../accounts/store.ts'
import { addressOf } from '../address.ts'
import { leadingTo, toForwarder } from '../forwarders/store.ts'
import { carry, carryDelete, refuseBeingDeleted } from '../objects.ts'
import { refuseNeeded } from '../refuse-in-use.ts'
import type { MailboxRow } from '../tables.ts'
import { refuseQuota, refuseRate } from './limits.ts'
import { mailboxById, setMailbox, toMailbox } from './store.ts'

export type MailboxContext = Context & {
  readonly found: { readonly account: FoundAccount; readonly mailbox: MailboxRow }
}

const viewOf = (ctx: MailboxContext) => toMailbox(ctx, mailboxById(ctx.db, ctx.found.mailbox.id)!)
export const currentAddress = (ctx: MailboxContext): string => addressOf(ctx.db, ctx.found.mailbox)

/** Enqueues the job that applies changes of the mailbox. */
export const carryChange = (ctx: MailboxContext): string =>
  carry(ctx, ctx.found.account, 'email.account.update', ctx.found.mailbox.id)

export const updateMailbox: Handler<typeof declared.updateMailbox> = {
  handle(ctx, { body }) {
    const { account, mailbox } = ctx.found
    refuseBeingDeleted(currentAddress(ctx), mailbox)
    const limits = fullAccount(ctx)
    if (body.quota_mb !== undefined && body.quota_mb !== mailbox.quota_mb) refuseQuota(limits, body.quota_mb)
    if (body.max_per_hour !== mailbox.max_per_hour) refuseRate(limits, body.max_per_hour)
    setMailbox(ctx, mailbox.id, body)
    ctx.note({ account, object_id: mailbox.id, after: { ...body } })
    return { mailbox: viewOf(ctx), job_id: carryChange(ctx) }
  },
}

export const changeMailboxPassword: Handler<typeof declared.changeMailboxPassword, string> = {
  prepare: (ctx, { body }) => cryptPassword(body.new_password, turnOfCaller(ctx)),
  handle(ctx, { body }, hash) {
    const { account, mailbox } = ctx.found
    refuseInvalid({ new_password: passwordError(body.new_password, mailbox.local, currentAddress(ctx)) })
    refuseBeingDeleted(currentAddress(ctx), mailbox)
    setMailbox(ctx, mailbox.id, { hash, password_changed_at: ctx.now })
    ctx.note({ account, object_id: mailbox.id })
    return { mailbox: viewOf(ctx), job_id: carry(ctx, account, 'email.account.password', mailbox.id) }
  },
}

type Suspension = Pick<MailboxRow, 'suspended_login' | 'suspended_outgoing' | 'suspended_incoming'>

function suspend(ctx: MailboxContext, suspension: Suspension) {
  const { account, mailbox } = ctx.found
  refuseBeingDeleted(currentAddress(ctx), mailbox)
  setMailbox(ctx, mailbox.id, suspension)
  ctx.note({ account, object_id: mailbox.id, after: { ...suspension } })
  return { mailbox: viewOf(ctx), job_id: carryChange(ctx) }
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
    const address = currentAddress(ctx)
    if (mailbox.status !== 'deleting') {
      refuseNeeded(ctx, account.id, address, { mailboxes: new Map([[address, false]]) })
      setMailbox(ctx, mailbox.id, { status: 'deleting' })
      ctx.emit({ type: 'email.account.deleted', account, object_id: mailbox.id, details: { address } })
    }
    ctx.note({ account, object_id: mailbox.id, before: { address } })
    return {
      mailbox: viewOf(ctx),
      forwarders: leadingTo(ctx.db, account.id, address).map((row) => toForwarder(ctx, row)),
      job_id: carryDelete(ctx, account, 'email.account.delete', mailbox.id),
    }
  },
}
