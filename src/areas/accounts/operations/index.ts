import type * as declared from '../../../contract/accounts.ts'
import { type CountName, counted } from '../../../contract/accounts.ts'
import { invalid } from '../../../contract/problem.ts'
import type { NewOwnPassword } from '../../../runtime/areas/ports.ts'
import { amend, unfinishedJob } from '../../../runtime/jobs/queue.ts'
import { turnOfCaller } from '../../../runtime/jobs/shares.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Handler, Preserialized } from '../../../runtime/operations/run.ts'
import { hashPassword } from '../../../runtime/security/password.ts'
import { refuseUnknownNode } from '../../nodes/filter.ts'
import { countNames, countOf } from '../limits/usage-limits.ts'
import { showAccount, withJob } from '../list/json.sql.ts'
import { listAccounts as list } from '../list/list.sql.ts'
import { partsOf } from '../objects/part.ts'
import { isReserved } from '../reserved.ts'
import { type FullAccount, fullAccount, nameOf } from '../store.ts'
import {
  accepted,
  changeAccountPackage,
  setAccount,
  suspendAccount,
  unsuspendAccount,
  updateAccount,
} from './change.ts'
import { createAccount } from './create.ts'
import { featuresOf } from './features.ts'
import { domainProblem, lowerAscii, pastedToAscii, usernameProblem } from './names.ts'

const listAccounts: Handler<typeof declared.listAccounts> = {
  handle(ctx, { query }) {
    refuseUnknownNode(ctx, query.node)
    return list(ctx, query)
  },
}

const checkAccount: Handler<typeof declared.checkAccount> = {
  handle(ctx, { query }) {
    const { username, domain } = query
    if (username === undefined && domain === undefined) throw invalid('username', 'give a username, a domain or both')
    return {
      ...(username === undefined ? {} : { username: freedom(usernameProblem(ctx, lowerAscii(username))) }),
      ...(domain === undefined ? {} : { domain: domainFreedom(ctx, domain) }),
    }
  },
}

const domainFreedom = (ctx: Context, domain: string) =>
  isReserved(ctx, pastedToAscii(domain) ?? '')
    ? { available: false, reason: 'reserved' }
    : freedom(domainProblem(ctx, domain))

const freedom = (reason: string | undefined) =>
  reason === undefined ? { available: true } : { available: false, reason }

const getAccount: Handler<typeof declared.getAccount, undefined, { serialized: Preserialized }> = {
  find: (ctx, { id }) => ({ serialized: showAccount(ctx, id) }),
  handle: ({ found }) => found.serialized,
}

const getAccountFeatures: Handler<typeof declared.getAccountFeatures> = {
  handle: (ctx) => ({ items: featuresOf(ctx, fullAccount(ctx)) }),
}

const getAccountUsage: Handler<typeof declared.getAccountUsage> = {
  handle: (ctx) => usageOf(ctx, fullAccount(ctx)),
}

const figure = (used: number, limit: number | null) => present({ used, limit })

function usageOf(ctx: Context, account: FullAccount) {
  const counts = countNames.map((name) => [name, figure(countOf(ctx, name, account.id), account[counted[name]])])
  return {
    measured_at: account.measured_at,
    ...(account.at_least ? { at_least: true as const } : {}),
    disk_mb: figure(account.disk_used_mb, account.disk_quota_mb),
    inodes: figure(account.inodes_used, account.inodes_limit),
    bandwidth_mb: figure(account.bw_used_month_mb, account.bw_limit_mb),
    ...(Object.fromEntries(counts) as Record<CountName, ReturnType<typeof figure>>),
  }
}

const terminateAccount: Handler<typeof declared.terminateAccount> = {
  handle(ctx, { query }) {
    const account = fullAccount(ctx)
    if (query.confirm !== account.username) throw invalid('confirm', "must be the account's username")
    for (const { refuseEnd } of partsOf(ctx.runtime)) refuseEnd?.(ctx, account)
    const payload = query.final_backup === false ? { final_backup: 'false' } : {}
    if (account.terminating) return again(ctx, account, payload)
    beginEnd(ctx, account)
    return accepted(ctx, account.id, 'account.terminate', {
      before: { username: account.username, domain: account.main_domain },
      payload,
    })
  },
}

/** Marks an account terminating and emits the event; the caller enqueues the job. */
export function beginEnd(ctx: Context, account: FullAccount): void {
  setAccount(ctx, account.id, { terminating: true })
  for (const { end } of partsOf(ctx.runtime).reverse()) end?.(ctx, account)
  ctx.emit({ type: 'account.terminated', account: nameOf(account), object_id: account.id, details: {} })
}

/** Returns the unfinished job with the new payload, or enqueues one if the last has failed. */
function again(ctx: Context, account: FullAccount, payload: Readonly<Record<string, string>>) {
  const running = unfinishedJob(ctx.runtime, account.id, 'account.terminate')
  if (!running) return accepted(ctx, account.id, 'account.terminate', { payload })
  amend(ctx.runtime, running, payload)
  return withJob(ctx, account.id, running.id)
}

/** Changing your own password takes the current one, however you signed in. */
const changeAccountPassword: Handler<typeof declared.changeAccountPassword, NewPassword> = {
  async prepare(ctx, { params, body: { new_password, current_password } }) {
    const own = params.id === ctx.actor.id
    if (!own && current_password !== undefined)
      throw invalid('current_password', 'is only needed to change your own password; leave it out')
    if (!own) return { hash: await hashPassword(new_password, turnOfCaller(ctx)) }
    if (current_password === undefined) throw invalid('current_password', 'is required to change your own password')
    return ctx.runtime.ports.prepareOwnPassword(ctx, { current_password, new_password })
  },
  handle(ctx, _input, { hash, checked }) {
    const account = fullAccount(ctx)
    if (checked) ctx.runtime.ports.confirmOwnPassword(ctx, 'current_password', checked)
    const values = { password_hash: hash, password_changed_at: ctx.now }
    setAccount(ctx, account.id, values)
    for (const { changed } of partsOf(ctx.runtime)) changed?.(ctx, account, { ...account, ...values })
    ctx.emit({ type: 'account.password_changed', account: nameOf(account), object_id: account.id, details: {} })
    ctx.note({ account, object_id: account.id })
    return undefined
  },
}

type NewPassword = Pick<NewOwnPassword, 'hash'> & Partial<NewOwnPassword>

export const accountOperations = {
  listAccounts,
  createAccount,
  checkAccount,
  getAccount,
  updateAccount,
  getAccountFeatures,
  getAccountUsage,
  suspendAccount,
  unsuspendAccount,
  terminateAccount,
  changeAccountPackage,
  changeAccountPassword,
}
