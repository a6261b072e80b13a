import type * as declared from '../../contract/accounts.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import { present } from '../../runtime/list.ts'
import { hashPassword } from '../../runtime/password.ts'
import { unfinishedJob } from '../../runtime/queue.ts'
import type { Handler, Raw } from '../../runtime/run.ts'
import { endReselling, refuseWhileOwning } from '../resellers/store.ts'
import { endSessionsOf } from '../sessions/store.ts'
import { endLinks } from '../sso/links.ts'
import { revokeAll } from '../tokens/store.ts'
import { endWebhooks } from '../webhooks/store.ts'
import {
  accepted,
  changeAccountPackage,
  setAccount,
  suspendAccount,
  unsuspendAccount,
  updateAccount,
} from './change.ts'
import { createAccount } from './create.ts'
import { listAccounts as list } from './list.ts'
import { domainFault, lowerAscii, usernameFault } from './names.ts'
import { type FullAccount, findAccount, nameOf, toAccount } from './store.ts'

const listAccounts: Handler<typeof declared.listAccounts> = { handle: (ctx, { query }) => list(ctx, query) }

const checkAccount: Handler<typeof declared.checkAccount> = {
  handle(ctx, { query }) {
    const { username, domain } = query
    if (username === undefined && domain === undefined) throw invalid('username', 'name a username, a domain or both')
    return {
      ...(username === undefined ? {} : { username: freedom(usernameFault(ctx, lowerAscii(username))) }),
      ...(domain === undefined ? {} : { domain: freedom(domainFault(ctx, domain)) }),
    }
  },
}

const freedom = (reason: string | undefined) =>
  reason === undefined ? { available: true } : { available: false, reason }

const getAccount: Handler<typeof declared.getAccount, Raw> = { handle: (_ctx, _input, shown) => shown }

const getAccountUsage: Handler<typeof declared.getAccountUsage> = {
  handle: (ctx, { params }) => usageOf(findAccount(ctx, params.id)),
}

/** Only databases of the countable objects can exist yet; the others are truly none. */
function usageOf(account: FullAccount) {
  const figure = (used: number, limit: number | null) => present({ used, limit })
  return {
    measured_at: account.measured_at,
    disk_mb: figure(account.disk_used_mb, account.disk_quota_mb),
    inodes: figure(account.inodes_used, account.inodes_limit),
    bandwidth_mb: figure(account.bw_used_month_mb, account.bw_limit_mb),
    databases: figure(account.db_count, account.max_sql),
    email_accounts: figure(0, account.max_email),
    ftp_accounts: figure(0, account.max_ftp),
    addon_domains: figure(0, account.max_addon),
    sub_domains: figure(0, account.max_sub),
    parked_domains: figure(0, account.max_parked),
  }
}

const terminateAccount: Handler<typeof declared.terminateAccount> = {
  handle(ctx, { params, query }) {
    const account = findAccount(ctx, params.id)
    if (query.confirm !== account.username) throw invalid('confirm', "must be the account's username")
    refuseWhileOwning(ctx, account)
    if (account.terminating) return again(ctx, account)
    setAccount(ctx, account.id, { terminating: true })
    endAccess(ctx, account)
    ctx.emit({ type: 'account.terminated', account: nameOf(account), object_id: account.id, details: {} })
    return accepted(ctx, account.id, 'account.terminate', {
      before: { username: account.username, domain: account.main_domain },
    })
  },
}

/** The running job once more, or a new one where the last has failed. */
function again(ctx: Context, account: FullAccount) {
  const running = unfinishedJob(ctx.runtime, account.id, 'account.terminate')
  return running ? { account: toAccount(account), job_id: running.id } : accepted(ctx, account.id, 'account.terminate')
}

function endAccess(ctx: Context, account: FullAccount): void {
  revokeAll(ctx, account.id)
  endWebhooks(ctx, account.id)
  endReselling(ctx, nameOf(account))
  endSessionsOf(ctx.db, account.id)
  endLinks(ctx, account.id)
}

const changeAccountPassword: Handler<typeof declared.changeAccountPassword, string> = {
  prepare: (_ctx, { body }) => hashPassword(body.new_password),
  handle(ctx, { params }, password_hash) {
    const account = findAccount(ctx, params.id)
    if (account.terminating) throw new Problem('busy', `${account.username} is being terminated.`)
    setAccount(ctx, account.id, { password_hash, password_changed_at: ctx.now })
    endSessionsOf(ctx.db, account.id, ctx.actor.session?.id)
    ctx.emit({ type: 'account.password_changed', account: nameOf(account), object_id: account.id, details: {} })
    ctx.note({ account, object_id: account.id })
    return undefined
  },
}

export const accountOperations = {
  listAccounts,
  createAccount,
  checkAccount,
  getAccount,
  updateAccount,
  getAccountUsage,
  suspendAccount,
  unsuspendAccount,
  terminateAccount,
  changeAccountPackage,
  changeAccountPassword,
}
