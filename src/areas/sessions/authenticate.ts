import type { Declaration } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Actor, SessionUse } from '../../runtime/operations/actor.ts'
import type { Caller } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { settingOf } from '../../runtime/settings/settings.ts'
import { sameSecret } from '../../shared/same-secret.ts'
import { day } from '../../shared/time.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { cookieName, csrfOf } from './cookie.ts'
import { makerMayStill } from './link-creator.ts'
import { type Principal, principalOf } from './principal.ts'
import { twoFactorEnabled } from './second-factor.ts'
import { endedLately, sessionOf, sessionUses } from './store.ts'
import type { SessionRow } from './tables.ts'

/** A running session with its principal and cookie. */
export interface Live {
  readonly row: SessionRow
  readonly principal: Principal
  readonly cookie: string
}

const principalAt = versionedCache((store, key) => {
  const [panel, type, id] = key.split(' ') as [PanelName, Principal['type'], string]
  return principalOf(store.db, panel, type, id)
})

/** The session of a panel's cookie, while its principal may use that panel. */
export function liveSession(runtime: Runtime, caller: Caller, panel: PanelName): Live | undefined {
  const cookie = caller.cookie(cookieName(panel))
  const row = sessionOf(runtime, panel, cookie)
  if (!row || cookie === undefined || isForeign(row, caller)) return undefined
  const principal = principalAt(runtime.store, [panel, row.principal_type, row.principal_id].join(' '))
  return principal && makerMayStill(runtime, row, principal) ? { row, principal, cookie } : undefined
}

/** A site that plants its own session in a visitor's browser started that elsewhere. */
const isForeign = (row: SessionRow, caller: Caller): boolean =>
  row.address !== (caller.address ?? null) && caller.mayBeForeign(cookieName(row.panel))

export function sessionStatus(runtime: Runtime, caller: Caller, panel: PanelName): 'running' | 'ended' | undefined {
  if (liveSession(runtime, caller, panel)) return 'running'
  return endedLately(runtime, panel, caller.cookie(cookieName(panel))) ? 'ended' : undefined
}

/**
 * The actor of a request's session. With both cookies, the operation's panel decides; for operations of both, the
 * session that owns the sent X-CSRF-Token acts, and a GET without it acts as the admin panel's. 403 `csrf` for a change
 * without its token.
 */
export function authenticateSession(runtime: Runtime, op: Declaration, caller: Caller): Actor | undefined {
  const panels: readonly PanelName[] = op.panel ? [op.panel] : ['admin', 'user']
  const live = panels
    .flatMap((panel) => liveSession(runtime, caller, panel) ?? [])
    .filter(({ row }) => !row.mfa_pending)
  if (live.length === 0) return undefined
  const token = caller.header('x-csrf-token')
  const owner = token === undefined ? undefined : live.find((one) => sameSecret(csrfOf(runtime, one), token))
  if (owner) return actorOf(runtime, owner, caller)
  if (op.method === 'get') return actorOf(runtime, live[0]!, caller)
  throw new Problem('csrf', 'Send the csrf_token of your session in the header X-CSRF-Token.')
}

function actorOf(runtime: Runtime, live: Live, caller: Caller): Actor {
  const { row, principal } = live
  // Background requests of an open page do not keep its session alive.
  if (caller.header('x-part') === undefined) sessionUses(runtime).record(row.id, caller.address)
  return {
    type: principal.type,
    id: principal.id,
    name: principal.name,
    via: row.via,
    address: caller.address,
    acl: principal.acl,
    suspended: principal.suspended,
    session: sessionUse(runtime, live),
  }
}

function sessionUse(runtime: Runtime, live: Live): SessionUse {
  const { row } = live
  const actingAs = actingAsOf(row)
  return {
    id: row.id,
    panel: row.panel,
    confirmed: row.confirmed_at !== null && Math.abs(runtime.clock.now() - row.confirmed_at) < confirmedFor,
    ...(actingAs ? { actingAs } : {}),
    ...present(restriction(runtime, live)),
  }
}

/** How long a confirmed password allows sensitive operations. */
const confirmedFor = 15 * 60_000

const present = (restricted: SessionUse['restricted'] | undefined) => (restricted ? { restricted } : {})

/** The user behind a "log in as" session. */
export const actingAsOf = (row: SessionRow): { id: string; name: string } | undefined =>
  row.acting_as_id !== null && row.acting_as_name !== null
    ? { id: row.acting_as_id, name: row.acting_as_name }
    : undefined

/** What the user must do before anything else. */
export function restriction(runtime: Runtime, { row, principal }: Live): SessionUse['restricted'] | undefined {
  if (row.acting_as_id !== null) return undefined
  if (passwordExpired(runtime, principal)) return 'password'
  return setupRequired(runtime, row, principal) ? 'two-factor' : undefined
}

export function passwordExpired(runtime: Runtime, principal: Principal): boolean {
  const days = settingOf(runtime.store, 'password_max_age_days') ?? null
  if (days === null || principal.password_changed_at === null) return false
  return principal.password_changed_at + days * day <= runtime.clock.now()
}

function setupRequired(runtime: Runtime, row: SessionRow, principal: Principal): boolean {
  const who = settingOf(runtime.store, 'two_factor_required') ?? 'none'
  const isRequired = who === 'everyone' || (who === 'admins' && row.panel === 'admin')
  // A second factor follows a password: without one, there is nothing to set it up with or to protect.
  return isRequired && principal.password_hash !== null && !twoFactorEnabled(runtime.store.db, principal.id)
}
