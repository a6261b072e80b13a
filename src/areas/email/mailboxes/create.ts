import type * as declared from '../../../contract/email.ts'
import type { Input } from '../../../contract/operation.ts'
import { Problem, refuseInvalid } from '../../../contract/problem.ts'
import { turnOfCaller } from '../../../runtime/jobs/shares.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { cryptPassword, passwordError } from '../../../runtime/security/crypt.ts'
import { refuseOneMore } from '../../accounts/limits/usage-limits.ts'
import { type FullAccount, fullAccount } from '../../accounts/store.ts'
import { refuseBeingDeleted as refuseDomain } from '../../domains/busy.ts'
import { warnNow } from '../../domains/verification/store.ts'
import { type OwnAddress, ownAddress } from '../address.ts'
import { carry } from '../objects.ts'
import { missingQuota, quotaOf, refuseRate } from './limits.ts'
import { addMailbox, mailboxAt, mailboxById, newMailbox, toMailbox } from './store.ts'

/** Creates the mailbox's row; its job creates it on the host. */
export const createMailbox: Handler<typeof declared.createMailbox, string> = {
  prepare: (ctx, { body }) => cryptPassword(body.password, turnOfCaller(ctx)),
  handle(ctx, { body }, hash) {
    const { account } = ctx.found
    const limits = fullAccount(ctx)
    const { domain, local } = addressFor(ctx, limits, body)
    const address = `${local}@${domain.name}`
    refuseDomain(domain)
    if (mailboxAt(ctx.db, { domain_id: domain.id, local }))
      throw new Problem('exists', `${address} is a mailbox already.`, { address: 'is a mailbox already' })
    const quota_mb = quotaOf(limits, body.quota_mb)
    refuseRate(limits, body.max_per_hour)
    refuseOneMore(ctx, 'email_accounts', account.id)
    const values = { quota_mb, max_per_hour: body.max_per_hour ?? null, hash }
    const row = newMailbox(ctx, { account_id: account.id, domain_id: domain.id, local, ...values }, 'creating')
    addMailbox(ctx, row)
    warnNow(ctx, domain)
    ctx.emit({ type: 'email.account.created', account, object_id: row.id, details: { address } })
    ctx.note({ account, object_id: row.id, after: { address, quota_mb } })
    const job_id = carry(ctx, account, 'email.account.create', row.id)
    return { mailbox: toMailbox(ctx, mailboxById(ctx.db, row.id)!), job_id }
  },
}

type CreateMailboxBody = Input<typeof declared.createMailbox>['body']

function addressFor(
  ctx: Context,
  account: FullAccount,
  { address, password, quota_mb }: CreateMailboxBody,
): OwnAddress {
  const own = ownAddress(ctx, account.id, address)
  refuseInvalid({
    address: typeof own === 'string' ? own : undefined,
    password: passwordError(password, address, address.slice(0, address.lastIndexOf('@'))),
    quota_mb: missingQuota(account, quota_mb),
  })
  return own as OwnAddress
}
