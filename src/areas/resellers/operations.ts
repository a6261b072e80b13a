import { and, eq, isNotNull, isNull, ne } from 'drizzle-orm'
import { type Privilege, privilegeNames, privileges } from '../../contract/common.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/resellers.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { serverNames } from '../../runtime/settings/server-names.ts'
import { suspend, unsuspend } from '../accounts/operations/change.ts'
import { nameProblem } from '../accounts/operations/names.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { isWithinForeign } from '../domains/names.ts'
import { resellerAt } from './brand/store.ts'
import {
  endReselling,
  type FullReseller,
  findReseller,
  listResellers as list,
  makeReseller,
  refuseWhileOwning,
  resellerName,
  toReseller,
} from './store.ts'
import { acls, type ResellerRow, resellers } from './tables.ts'

const listPrivileges: Handler<typeof declared.listPrivileges> = {
  handle: () => ({ items: privilegeNames.map((name) => ({ name, description: privileges[name] })) }),
}

const listResellers: Handler<typeof declared.listResellers> = { handle: (ctx, { query }) => list(ctx, query) }

const createReseller: Handler<typeof declared.createReseller> = {
  handle(ctx, { body }) {
    const account = accountById(ctx.db, body.account_id)
    if (!account || account.terminating) throw invalid('account_id', 'is not an account that can become a reseller')
    if (account.reseller !== null)
      throw new Problem('exists', `${account.username} is already a reseller.`, { account_id: 'is a reseller already' })
    const privileges = privilegesOf(ctx, body)
    const { account_id: _account, acl: _acl, acl_id: _acl_id, ...limits } = body
    makeReseller(ctx, account.id, privileges, limits)
    ctx.note({ account, object_id: account.id, after: { acl: privileges.acl, ...limits } })
    return toReseller(findReseller(ctx, account.id))
  },
}

const getReseller: Handler<typeof declared.getReseller> = {
  handle: ({ found }) => toReseller(found.reseller),
}

/** Individual privileges, or those of a named list. */
function privilegesOf(
  ctx: Context,
  body: { acl?: Privilege[]; acl_id?: string },
): { acl: Privilege[]; acl_id: string | null } {
  if (body.acl !== undefined && body.acl_id !== undefined)
    throw invalid('acl_id', 'cannot be combined with acl; give one of them')
  if (body.acl_id === undefined) return { acl: [...new Set(body.acl ?? [])], acl_id: null }
  const named = ctx.db.select().from(acls).where(eq(acls.id, body.acl_id)).get()
  if (!named) throw invalid('acl_id', 'is not a list of privileges')
  return { acl: named.acl, acl_id: named.id }
}

function setReseller(ctx: Context, before: FullReseller, values: Partial<ResellerRow>) {
  const id = before.account_id
  ctx.db
    .update(resellers)
    .set({ ...values, updated_at: ctx.now })
    .where(eq(resellers.account_id, id))
    .run()
  const changed = Object.keys(values) as (keyof ResellerRow)[]
  const pick = (row: ResellerRow) => Object.fromEntries(changed.map((key) => [key, row[key]]))
  const after = findReseller(ctx, id)
  ctx.note({ account: { id, owner_id: before.owner_id }, object_id: id, before: pick(before), after: pick(after) })
  return toReseller(after)
}

const updateReseller: Handler<typeof declared.updateReseller> = {
  handle(ctx, { body }) {
    const { reseller } = ctx.found
    if (!isRoot(ctx.actor)) refuseBeyondOwn(body)
    if (body.brand) refuseHostname(ctx, reseller, body.brand.hostname)
    refuseRepeated(body.nameservers ?? [])
    if (!isRoot(ctx.actor)) refuseForeignServers(ctx, reseller, body.nameservers ?? [])
    return setReseller(ctx, reseller, body)
  },
}

const own = new Set(['nameservers', 'brand'])

/** Resellers cannot change their own limits. */
function refuseBeyondOwn(body: object): void {
  const field = Object.keys(body).find((name) => !own.has(name))
  if (field !== undefined) throw new Problem('forbidden', `Only root can change ${field}.`)
}

function refuseRepeated(nameservers: readonly string[]): void {
  const at = nameservers.findIndex((name, place) => nameservers.indexOf(name) < place)
  if (at >= 0) throw invalid('nameservers', `item ${at + 1}: ${nameservers[at]} is in the list already`)
}

/** The domain's owner could move the name, and with it all zones of the reseller's accounts. */
function refuseForeignServers(ctx: Context, reseller: FullReseller, nameservers: readonly string[]): void {
  const isForeign = (name: string) =>
    !reseller.nameservers.includes(name) && isWithinForeign(ctx, name, reseller.account_id)
  const at = nameservers.findIndex(isForeign)
  if (at < 0) return
  const nameserverError = 'belongs to a domain of another account; only root can set it'
  throw invalid('nameservers', `item ${at + 1}: ${nameservers[at]} ${nameserverError}`)
}

function refuseHostname(ctx: Context, reseller: FullReseller, hostname: string | undefined): void {
  if (hostname === undefined || hostname === reseller.brand?.hostname) return
  const error = hostnameError(ctx, reseller.account_id, hostname)
  if (error) throw invalid('brand.hostname', error)
}

/** Visitors of the name would see the brand at sign-in. */
function hostnameError(ctx: Context, reseller: string, hostname: string): string | undefined {
  const { panel, webmail, phpmyadmin } = serverNames(ctx.db, ctx.runtime.hostname)
  if ([panel, webmail, phpmyadmin].includes(hostname)) return "is the server's own"
  if (resellerAt(ctx.db, hostname) !== undefined) return 'is taken; choose another'
  if (isRoot(ctx.actor)) return undefined
  if (isWithinForeign(ctx, hostname, reseller)) return 'belongs to a domain of another account; only root can set it'
  return nameProblem(ctx, hostname)
}

const setResellerAcl: Handler<typeof declared.setResellerAcl> = {
  handle(ctx, { body }) {
    if (body.acl === undefined && body.acl_id === undefined) throw invalid('acl', 'is required, unless acl_id is given')
    return setReseller(ctx, ctx.found.reseller, privilegesOf(ctx, body))
  },
}

const suspendReseller: Handler<typeof declared.suspendReseller> = {
  handle(ctx, { body }) {
    const { reseller } = ctx.found
    const reason = body.reason ?? ''
    const withAccounts = body.accounts ?? true
    const answer = setReseller(ctx, reseller, {
      suspended_at: reseller.suspended_at ?? ctx.now,
      suspend_reason: reason,
    })
    const details = { username: reseller.username, reason, accounts: withAccounts }
    ctx.emit({ type: 'reseller.suspended', account: resellerName(reseller), object_id: reseller.account_id, details })
    if (withAccounts) suspendOwned(ctx, reseller.account_id, reason)
    return answer
  },
}

/** Suspends a reseller's accounts that are not suspended yet, and marks them as suspended with it. */
function suspendOwned(ctx: Context, reseller: string, reason: string): void {
  const active = and(
    eq(accounts.owner_id, reseller),
    ne(accounts.id, reseller),
    isNull(accounts.suspended_at),
    eq(accounts.terminating, false),
  )
  for (const { id } of ctx.db.select({ id: accounts.id }).from(accounts).where(active).orderBy(accounts.id).all()) {
    const account = accountById(ctx.db, id)!
    suspend(ctx, account, reason, false)
    ctx.db.update(accounts).set({ suspended_with: reseller }).where(eq(accounts.id, id)).run()
    ctx.enqueue({ kind: 'account.suspend', account: nameOf(account) })
  }
}

const unsuspendReseller: Handler<typeof declared.unsuspendReseller> = {
  handle(ctx) {
    const { reseller } = ctx.found
    if (reseller.suspended_at === null) return toReseller(reseller)
    const answer = setReseller(ctx, reseller, { suspended_at: null, suspend_reason: '' })
    ctx.emit({
      type: 'reseller.unsuspended',
      account: resellerName(reseller),
      object_id: reseller.account_id,
      details: { username: reseller.username },
    })
    unsuspendOwned(ctx, reseller.account_id)
    return answer
  },
}

function unsuspendOwned(ctx: Context, reseller: string): void {
  const owned = and(
    eq(accounts.suspended_with, reseller),
    isNotNull(accounts.suspended_at),
    eq(accounts.terminating, false),
  )
  for (const { id } of ctx.db.select({ id: accounts.id }).from(accounts).where(owned).orderBy(accounts.id).all()) {
    const account = accountById(ctx.db, id)!
    unsuspend(ctx, account)
    ctx.enqueue({ kind: 'account.unsuspend', account: nameOf(account) })
  }
}

const removeReseller: Handler<typeof declared.removeReseller> = {
  handle(ctx) {
    const { reseller } = ctx.found
    const account = resellerName(reseller)
    refuseWhileOwning(ctx, account)
    endReselling(ctx, account)
    ctx.note({ account, object_id: account.id, before: { acl: reseller.acl } })
    return undefined
  },
}

export const resellerOperations = {
  listPrivileges,
  listResellers,
  createReseller,
  getReseller,
  updateReseller,
  setResellerAcl,
  suspendReseller,
  unsuspendReseller,
  removeReseller,
}
