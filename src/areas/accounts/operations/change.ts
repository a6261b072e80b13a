import type * as declared from '../../../contract/accounts.ts'
import type { Input } from '../../../contract/operation.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { AuditNote, Context } from '../../../runtime/operations/context.ts'
import type { Handler, Preserialized } from '../../../runtime/operations/run.ts'
import { usablePackage } from '../../packages/store.ts'
import { type AccountLimits, changedLimits, limitsOfPackage, refuseBelowUse } from '../limits/limits.ts'
import { refuseBeyondPrivileges } from '../limits/reseller-limits.ts'
import { withJob } from '../list/json.sql.ts'
import { partsOf, refuseGrant } from '../objects/part.ts'
import { accountById, type FullAccount, fullAccount, nameOf, writeAccount } from '../store.ts'
import type { AccountRow } from '../tables.ts'
import { addressesFor } from './choose-ip.ts'
import { contactProblem, domainProblem, lowerAscii, pastedToAscii, usernameProblem } from './names.ts'

type Change = Input<typeof declared.updateAccount>['body']

export const setAccount = (ctx: Context, id: string, values: Partial<AccountRow>): void =>
  void writeAccount(ctx.store.sqlite, values, id)

interface ChangeRequest extends Omit<AuditNote, 'account' | 'object_id'> {
  readonly payload?: Readonly<Record<string, string>>
}

/** Enqueues the job that makes the host match, and responds 202. */
export function accepted(
  ctx: Context,
  id: string,
  kind: string,
  { payload, ...note }: ChangeRequest = {},
): Preserialized {
  const account = accountById(ctx.db, id)!
  ctx.note({ account, object_id: id, ...note })
  return withJob(ctx, id, ctx.enqueue({ kind, account: nameOf(account), ...(payload && { payload }) }))
}

export const updateAccount: Handler<typeof declared.updateAccount> = {
  handle(ctx, { body }) {
    const account = fullAccount(ctx)
    if (ctx.actor.type === 'account') refuseBeyondCustomer(body)
    const values = valuesOf(ctx, account, body)
    refuseBeyondPrivileges(ctx, { before: account, values })
    refuseBelowUse(account, values)
    refuseGrant(ctx, { owner_id: account.owner_id, limits: { ...account, ...values }, self: account.id })
    if (Object.keys(values).length > 0) setAccount(ctx, account.id, values)
    emitChange(ctx, account, values)
    const after = accountById(ctx.db, account.id)!
    for (const { changed } of partsOf(ctx.runtime)) changed?.(ctx, account, after)
    return accepted(ctx, account.id, 'account.update', difference(account, values))
  },
}

const customers = ['contact_email', 'theme', 'locale']

function refuseBeyondCustomer(body: Change): void {
  const beyond = Object.keys(body).filter((field) => !customers.includes(field))
  if (beyond.length === 0) return
  const message = 'cannot be changed by the customer; only contact_email, theme and locale can'
  throw new Problem(
    'validation',
    `${beyond.join(', ')} ${message}.`,
    Object.fromEntries(beyond.map((field) => [field, message])),
  )
}

function valuesOf(ctx: Context, account: FullAccount, body: Change): Partial<AccountRow> {
  const { username, domain, ip_id, ip6_id, ...plain } = body
  const problem = contactProblem(body.contact_email ?? '')
  if (problem) throw invalid('contact_email', problem)
  return {
    ...(plain as Partial<AccountRow>),
    ...(username === undefined ? {} : renamed(ctx, account, lowerAscii(username))),
    ...(domain === undefined ? {} : moved(ctx, account, domain)),
    ...readdressed(ctx, account, body),
  }
}

function readdressed(ctx: Context, account: FullAccount, body: Pick<Change, 'ip_id' | 'ip6_id'>): Partial<AccountRow> {
  const changed = addressesFor(ctx, account, body)
  return Object.keys(changed).length === 0 ? {} : { ...changed, zone_serial: account.zone_serial + 1 }
}

function renamed(ctx: Context, account: FullAccount, username: string): Partial<AccountRow> {
  if (username === account.username) return {}
  const problem = usernameProblem(ctx, username, account.id)
  if (problem) throw invalid('username', problem)
  return { username, home_dir: `/home/${username}` }
}

function moved(ctx: Context, account: FullAccount, domain: string): Partial<AccountRow> {
  const main_domain = pastedToAscii(domain)
  if (main_domain === account.main_domain) return {}
  const problem = domainProblem(ctx, domain, account.id)
  if (problem || !main_domain) throw invalid('domain', problem ?? 'is not a valid domain name')
  return { main_domain, zone_serial: account.zone_serial + 1 }
}

function emitChange(ctx: Context, before: FullAccount, values: Partial<AccountRow>): void {
  const account = nameOf({ ...before, ...values })
  const { id: object_id } = before
  if (values.username !== undefined) {
    ctx.emit({ type: 'account.renamed', account, object_id, details: { from: before.username, to: values.username } })
  }
  if (values.main_domain !== undefined) {
    ctx.emit({
      type: 'account.domain_changed',
      account,
      object_id,
      details: { from: before.main_domain, to: values.main_domain },
    })
  }
  const changes = changedLimits(before, values as Partial<AccountLimits>)
  if (Object.keys(changes).length > 0)
    ctx.emit({ type: 'account.limits_changed', account, object_id, details: { changes } })
}

function difference(before: FullAccount, values: Partial<AccountRow>): Pick<AuditNote, 'before' | 'after'> {
  const changed = (Object.keys(values) as (keyof AccountRow)[]).filter((key) => before[key] !== values[key])
  const pick = (from: Partial<AccountRow>) => Object.fromEntries(changed.map((key) => [key, from[key]]))
  return { before: pick(before), after: pick(values) }
}

export const changeAccountPackage: Handler<typeof declared.changeAccountPackage> = {
  handle(ctx, { body }) {
    const account = fullAccount(ctx)
    const plan = usablePackage(ctx, body.package_id)
    if (plan.id !== account.package_id) refuseBeyondPrivileges(ctx, { plan })
    if (plan.id === account.package_id) return accepted(ctx, account.id, 'account.change_package')
    const limits = limitsOfPackage(plan)
    refuseBelowUse(account, limits)
    refuseGrant(ctx, { owner_id: account.owner_id, limits, self: account.id })
    setAccount(ctx, account.id, { package_id: plan.id, cgi: plan.cgi, shell: plan.shell, ...limits })
    const from = { id: account.package_id, name: account.package_name }
    const to = { id: plan.id, name: plan.name }
    ctx.emit({
      type: 'account.package_changed',
      account: nameOf(account),
      object_id: account.id,
      details: { from, to },
    })
    return accepted(ctx, account.id, 'account.change_package', {
      before: { package: from.name },
      after: { package: to.name },
    })
  },
}

export const suspendAccount: Handler<typeof declared.suspendAccount> = {
  handle(ctx, { body }) {
    const account = fullAccount(ctx)
    if (body.lock && !isRoot(ctx.actor)) throw invalid('lock', 'only root may lock a suspension')
    const locked = isRoot(ctx.actor) ? (body.lock ?? false) : account.suspend_locked
    const reason = body.reason ?? ''
    suspend(ctx, account, reason, locked)
    return accepted(ctx, account.id, 'account.suspend', { after: { reason, locked } })
  },
}

/** Marks an account suspended and emits the event; the caller enqueues the job. */
export function suspend(ctx: Context, account: FullAccount, reason: string, locked: boolean): void {
  setAccount(ctx, account.id, {
    suspended_at: account.suspended_at ?? ctx.now,
    suspended_by: ctx.actor.name,
    suspend_reason: reason,
    suspend_locked: locked,
    suspended_with: null,
  })
  ctx.emit({ type: 'account.suspended', account: nameOf(account), object_id: account.id, details: { reason, locked } })
}

export const unsuspendAccount: Handler<typeof declared.unsuspendAccount> = {
  handle(ctx) {
    const account = fullAccount(ctx)
    if (account.suspend_locked && !isRoot(ctx.actor))
      throw new Problem('suspend-locked', 'Root locked this suspension; only root can lift it.')
    if (account.suspended_at !== null) unsuspend(ctx, account)
    return accepted(ctx, account.id, 'account.unsuspend', { before: { reason: account.suspend_reason } })
  },
}

/** Lifts a suspension and emits the event; the caller enqueues the job. */
export function unsuspend(ctx: Context, account: FullAccount): void {
  setAccount(ctx, account.id, {
    suspended_at: null,
    suspended_by: null,
    suspended_with: null,
    suspend_reason: '',
    suspend_locked: false,
  })
  ctx.emit({ type: 'account.unsuspended', account: nameOf(account), object_id: account.id, details: {} })
}
