import type { AdminArea } from '../../contract/common.ts'
import { type Allow, areaSets, type Declaration, isOfAccount, readsOnly } from '../../contract/operation.ts'
import { notFor, notFound, notWhileActing, Problem, withoutPrivilege } from '../../contract/problem.ts'
import { type Actor, holds, isRoot, type SessionUse, type TokenUse } from './actor.ts'

/**
 * Decides from the declaration alone whether the caller may make this call, before any look-up:
 * 401, then `token-scope`, then `forbidden` (decisions: Order of refusal).
 */
export function authorize(op: Declaration, actor: Actor | undefined, params: Record<string, string>): void {
  if (op.allow === 'anyone') return
  if (!actor) throw unauthenticated()
  if (actor.token) authorizeToken(op, actor, actor.token, params)
  if (op.allow === 'token') return authorizeHolder(actor)
  if (actor.session) authorizeSession(op, actor.session)
  if (op.allow === 'session') return authorizeSignedIn(op, actor)
  authorizeCaller(op.allow, actor)
}

export const unauthenticated = (detail = 'Send a token, sign in, or use the local socket.'): Problem =>
  new Problem('unauthenticated', detail, undefined, { 'WWW-Authenticate': 'Bearer' })

function authorizeToken(op: Declaration, actor: Actor, token: TokenUse, params: Record<string, string>): void {
  const areas = token.kind === 'admin' ? op.token.admin : op.token.account
  if (areas === 'any') return
  if (areas === 'none') throw scope(`API tokens${token.kind === 'account' ? ' of accounts' : ''} cannot ${op.id}.`)
  if (token.kind === 'account' && !reachesAccount(op, actor, params))
    throw scope('This token reaches its own account only.')
  requireScopes(op, token, areaSets(areas) ?? [])
}

/** 403 for a field that the caller may not set. */
export function authorizeFields(op: Declaration, actor: Actor | undefined, body: unknown): void {
  for (const [field, area] of Object.entries(op.ofRoot ?? {})) {
    if (!actor || (body as Record<string, unknown> | undefined)?.[field] === undefined) continue
    if (!isRoot(actor)) throw new Problem('forbidden', `Only root may set ${field}.`)
    if (actor.token) requireScope(op, actor.token, [area])
  }
}

/** Whether a caller sees a field that only root may set, or an admin token with this area. */
export const seesFieldOfRoot = (actor: Actor, area: AdminArea): boolean =>
  isRoot(actor) && (!actor.token || inScope(actor.token, area, true))

function reachesAccount(op: Declaration, actor: Actor, params: Record<string, string>): boolean {
  return isOfAccount(op) && params['id'] === actor.id
}

/** 403 `token-scope` unless the token has the scope that the operation needs for one of these areas. */
export const requireScope = (op: Declaration, token: TokenUse, areas: readonly string[]): void =>
  requireScopes(
    op,
    token,
    areas.map((area) => [area]),
  )

/** The same where each of one of several sets of areas is needed. */
export function requireScopes(op: Declaration, token: TokenUse, sets: readonly (readonly string[])[]): void {
  const reads = readsOnly(op)
  if (sets.some((areas) => areas.every((area) => inScope(token, area, reads)))) return
  const needed = sets.map((areas) => areas.map((area) => `${area}:${reads ? 'read' : 'write'}`))
  const text = needed.map((scopes) => scopes.join(' and ')).join(' or ')
  const scopes = needed.length === 1 && needed[0]!.length > 1 ? 'scopes' : 'scope'
  throw new Problem('token-scope', `This token needs the ${scopes} ${text}.`, undefined, {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${needed[0]?.join(' ')}"`,
  })
}

/** Whether the token's scopes include an area, to read or to change. */
export function inScope({ scopes }: TokenUse, area: string, reads: boolean): boolean {
  if (scopes.includes('full-access') || (reads && scopes.includes('read-only'))) return true
  return scopes.includes(`${area}:write`) || (reads && scopes.includes(`${area}:read`))
}

/** Sessions and the local socket have no token. */
function authorizeHolder(actor: Actor): void {
  if (!actor.token) throw notFound('token')
}

/** The local socket's root counts as signed in to the admin panel. */
function authorizeSignedIn(op: Declaration, actor: Actor): void {
  if (!actor.session && op.panel === 'user') throw unauthenticated()
}

function authorizeSession(op: Declaration, session: SessionUse): void {
  if (op.ownerOnly && session.actingAs) throw notWhileActing()
  if (!session.restricted || op.restricted === 'allowed') return
  const first = session.restricted === 'password' ? 'Change your password' : 'Set up two-factor sign-in'
  throw new Problem('forbidden', `${first} first; until then nothing else works.`)
}

const scope = (detail: string): Problem => new Problem('token-scope', detail)

function authorizeCaller(allow: Exclude<Allow, string>, actor: Actor): void {
  if (isRoot(actor)) return
  if (actor.type === 'account' && allow.customer) return
  if (actor.type === 'reseller' && allow.reseller) return requirePrivilege(allow.reseller, actor)
  throw notFor(actor.type === 'account' ? 'customer' : 'reseller')
}

function requirePrivilege(needed: NonNullable<Exclude<Allow, string>['reseller']>, actor: Actor): void {
  if (needed === 'own' || holds(actor, needed)) return
  throw withoutPrivilege(needed)
}
