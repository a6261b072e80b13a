import { Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/sessions.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Turn } from '../../runtime/jobs/shares.ts'
import type { Actor } from '../../runtime/operations/actor.ts'
import { networkOf, siteOf } from '../../runtime/operations/address.ts'
import { unauthenticated } from '../../runtime/operations/authorize.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { hashPassword, isForeign } from '../../runtime/security/password.ts'
import { sameSecret } from '../../shared/same-secret.ts'
import { actingAsOf, type Live, liveSession, passwordExpired, restriction } from './authenticate.ts'
import { csrfOf } from './cookie.ts'
import { relyingPartyOf } from './passkeys/relying-party.ts'
import { passkeysOf } from './passkeys/store.ts'
import { compared } from './password.ts'
import {
  keepPassword,
  type PanelPrincipal,
  type Principal,
  principalAnywhere,
  principalByName,
  principalOf,
  resellerIn,
} from './principal.ts'
import { takeCode, twoFactorEnabled } from './second-factor.ts'
import { endSession, startSession } from './store.ts'
import { type Attempt, release, reserve, reserveCode, succeed } from './throttle.ts'

interface SignIn {
  readonly principal: Principal
  readonly attempt: Attempt | undefined
  /** In place of another panel's hash. */
  readonly rehashed?: string
}

/** A dummy hash, so that unknown names take as long as known ones. */
let nobodys: Promise<string> | undefined

/** The body of a session endpoint (contract: SessionResp). */
export function describe(ctx: Context, live: Live | undefined) {
  if (!live) return anonymous
  const { row, principal } = live
  if (row.mfa_pending)
    return { ...anonymous, mfa_required: true, two_factor_enabled: true, ...offeredPasskey(ctx, principal.id) }
  const restricted = restriction(ctx.runtime, live)
  return {
    authenticated: true,
    acting_as: actingAsOf(row) !== undefined,
    ...(row.switched && { switched: true as const }),
    force_password_change: restricted === 'password',
    is_root: principal.type === 'root',
    mfa_required: false,
    two_factor_enabled: twoFactorEnabled(ctx.db, principal.id),
    two_factor_setup_required: restricted === 'two-factor',
    csrf_token: csrfOf(ctx.runtime, live),
    expires_at: row.expires_at,
    username: principal.name,
    ...(principal.type === 'account' ? { account_id: principal.id } : {}),
    ...(principal.suspension && { suspended: principal.suspension }),
    role: principal.type === 'account' ? ('customer' as const) : principal.type,
    password_expired: passwordExpired(ctx.runtime, principal),
    ...(principal.acl ? { acl: [...principal.acl] } : {}),
    ...(switchable(ctx, live) && { may_switch: true as const }),
    ...resellerOf(principal),
  }
}

function offeredPasskey(ctx: Context, principalId: string) {
  const rp = relyingPartyOf(ctx)
  return rp && passkeysOf(ctx.db, principalId, rp.id).length > 0 ? { passkey_offered: true as const } : {}
}

const anonymous = {
  authenticated: false,
  acting_as: false,
  force_password_change: false,
  is_root: false,
  mfa_required: false,
  two_factor_enabled: false,
  two_factor_setup_required: false,
}

function resellerOf({ type, id, main_domain, nameservers, name }: Principal) {
  if (type !== 'reseller' || main_domain === undefined) return {}
  return { reseller: { id, main_domain, nameservers: [...(nameservers ?? [])], username: name } }
}

/** Signs in with a password; with a second factor, a code must follow. */
export const signInTo = (panel: PanelName): Handler<typeof declared.signIn, SignIn> => ({
  prepare(ctx, { body: { username, password } }) {
    const name = username.toLowerCase()
    return check(ctx, { panel, username: name, principal: principalByName(ctx.db, panel, name) }, password)
  },
  handle: (ctx, _input, checked) => enter(ctx, panel, checked),
})

/** Signs in to the panel of the name's owner. All names of an account share its limits. */
export const signInAnywhere: Handler<typeof declared.signInAnywhere, SignIn & { readonly panel: PanelName }> = {
  async prepare(ctx, { body: { username, password, panel = 'admin' } }) {
    const found = principalAnywhere(ctx.db, username.trim().toLowerCase(), panel)
    return { ...(await check(ctx, found, password)), panel: found.panel }
  },
  handle: (ctx, _input, { panel, ...checked }) => ({ panel, session: enter(ctx, panel, checked) }),
}

function enter(ctx: Context, panel: PanelName, { principal: checked, attempt, rehashed }: SignIn) {
  const found = unchanged(ctx, panel, checked)
  const principal = rehashed === undefined ? found : { ...found, password_hash: rehashed }
  if (rehashed !== undefined) keepPassword(ctx.db, found, rehashed, found.password_changed_at ?? ctx.now)
  const pending = twoFactorEnabled(ctx.db, principal.id)
  if (pending) release(ctx, attempt)
  else succeed(ctx, attempt)
  return begin(ctx, { panel, principal, pending })
}

export const otherPanel = { admin: 'user', user: 'admin' } as const

/** Starts a session in the other panel; the password was given for this one. */
export const switchFrom = (panel: PanelName): Handler<typeof declared.switchToUser> => ({
  handle(ctx) {
    const live = ctx.caller && liveSession(ctx.runtime, ctx.caller, panel)
    const principal = live && switchable(ctx, live)
    if (!principal) throw new Problem('forbidden', 'Only a reseller who signed in with the password can switch.')
    return begin(ctx, { panel: otherPanel[panel], principal, pending: false })
  },
})

/** Whom a session's reseller is in the other panel. */
function switchable(ctx: Context, { row, principal }: Live): Principal | undefined {
  if (row.via !== 'panel' || row.mfa_pending || principal.type === 'root') return undefined
  return resellerIn(ctx.db, otherPanel[row.panel], principal.id)
}

async function check(ctx: Context, found: PanelPrincipal, password: string): Promise<SignIn> {
  const { panel, username, principal } = found
  refuseForeignOrigin(ctx)
  const attempt = await ctx.store.change(() => reserve(ctx, panel, username))
  nobodys ??= hashPassword(ctx.runtime.id(), undefined)
  const hash = principal?.password_hash ?? (await nobodys)
  const fits = await compared(ctx, attempt, { password, hash, turn: turnOf(attempt, ctx) })
  if (!principal?.password_hash || !fits) throw failed(ctx, principal?.name ?? username)
  if (principal.suspended) {
    await ctx.store.change(() => release(ctx, attempt))
    throw suspended()
  }
  const foreign = isForeign(principal.password_hash)
  return { principal, attempt, ...(foreign && { rehashed: await hashPassword(password, turnOf(attempt, ctx)) }) }
}

/** Strangers take turns by network, and each name of it in its turns. On the local socket, root's. */
const turnOf = (attempt: Attempt | undefined, ctx: Context): Turn | undefined =>
  attempt && turnOfStranger(ctx, attempt.who)

export function turnOfStranger({ caller }: Context, member: string): Turn | undefined {
  if (caller?.address === undefined) return undefined
  const network = networkOf(caller.address)
  return { owner: `network ${siteOf(caller.address) ?? network}`, member: `${network} ${member}` }
}

/** Counts it for the address that it came from. */
function failed(ctx: Context, name: string): Problem {
  ctx.runtime.ports.signInFailed(ctx.runtime, { service: 'panel', address: ctx.caller?.address, name })
  return wrong()
}

const wrong = (): Problem => unauthenticated('The username or the password is wrong.')
export const suspended = (): Problem => new Problem('account-suspended', 'The account is suspended.')

/** A new password or a suspension invalidates a sign-in that started before. Inside a change. */
function unchanged(ctx: Context, panel: PanelName, checked: Principal): Principal {
  const principal = principalOf(ctx.db, panel, checked.type, checked.id)
  if (!principal || !sameSecret(principal.password_hash ?? '', checked.password_hash ?? '')) throw wrong()
  if (principal.suspended) throw suspended()
  return principal
}

/** Sign-in needs no CSRF token, so it must refuse other sites' pages. */
export function refuseForeignOrigin(ctx: Context): void {
  const origin = ctx.caller?.header('origin')
  const host = ctx.caller?.header('host')
  if (origin === undefined || (host !== undefined && [`https://${host}`, `http://${host}`].includes(origin))) return
  throw new Problem('csrf', 'This request came from a page of another site.')
}

interface Begin {
  readonly panel: PanelName
  readonly principal: Principal
  readonly pending: boolean
}

/** Starts a session in place of the browser's own. Inside a change. */
export function begin(ctx: Context, { panel, principal, pending }: Begin) {
  const old = ctx.caller && liveSession(ctx.runtime, ctx.caller, panel)
  if (old) endSession(ctx, old.row.id)
  const { row, cookie } = startSession(ctx, { panel, principal, via: 'panel', pending })
  ctx.note({ actor: actorOf(ctx, principal), object_id: row.id, ...accountNote(principal) })
  return describe(ctx, { row, principal, cookie })
}

export const actorOf = (ctx: Context, principal: Principal): Actor => ({
  type: principal.type,
  id: principal.id,
  name: principal.name,
  via: 'panel',
  address: ctx.caller?.address,
})

export const accountNote = (principal: Principal) =>
  principal.type === 'root' ? {} : { account: { id: principal.id, owner_id: principal.owner_id } }

interface Pending {
  readonly live: Live
  readonly attempt: Attempt | undefined
}

/** Completes a sign-in with a code. A new session replaces the pending one. */
export const completeSignInTo = (panel: PanelName): Handler<typeof declared.completeSignIn, Pending> => ({
  prepare: (ctx, { body }) => checkCode(ctx, panel, body.code),
  handle(ctx, _input, { live, attempt }) {
    const principal = principalOf(ctx.db, panel, live.row.principal_type, live.row.principal_id)
    if (!principal || !endSession(ctx, live.row.id)) throw waitsForNone()
    if (principal.suspended) throw suspended()
    succeed(ctx, attempt)
    return begin(ctx, { panel, principal, pending: false })
  },
})

/** A wrong code counts as a failed sign-in, so it is recorded in its own change before the sign-in's. */
async function checkCode(ctx: Context, panel: PanelName, code: string): Promise<Pending> {
  refuseForeignOrigin(ctx)
  const live = ctx.caller && liveSession(ctx.runtime, ctx.caller, panel)
  if (!live?.row.mfa_pending) throw waitsForNone()
  const attempt = await ctx.store.change(() => reserveCode(ctx, panel, live.principal))
  const right = await ctx.store.change(() => takeCode(ctx, live.principal.id, code))
  if (!right) {
    ctx.runtime.ports.signInFailed(ctx.runtime, {
      service: 'panel',
      address: ctx.caller?.address,
      name: live.principal.name,
    })
    throw unauthenticated('The code is wrong or was used before.')
  }
  return { live, attempt }
}

const waitsForNone = (): Problem => unauthenticated('No sign-in is waiting for a code. Start again with the password.')
