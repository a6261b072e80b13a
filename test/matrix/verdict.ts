import { type Declaration, readsOnly } from '../../src/contract/operation.ts'
import { namesObject } from '../world.ts'
import {
  expected,
  needsApiTokens,
  notWhileActing,
  onceConfirmed,
  type Rule,
  type Who,
  whileRestricted,
  whileSuspended,
} from './expected.ts'

/** The properties of a caller that affect a response. */
export interface CallerTraits {
  readonly type: 'nobody' | 'root' | 'reseller' | 'customer'
  readonly by: 'socket' | 'session' | 'token'
  readonly panel?: 'admin' | 'user'
  readonly scopes?: readonly string[]
  /** Of a reseller: whether it has the privilege that the operation needs. */
  readonly able?: boolean
  /** Requests objects that are not its own. */
  readonly elsewhere?: boolean
  /** What is wrong with its credentials. */
  readonly broken?: '401 unauthenticated' | '403 token-ip'
  readonly acting?: boolean
  readonly restricted?: boolean
  readonly suspended?: boolean
  readonly withoutFeature?: boolean
}

export const passes = 'passes'

/** The expected response, in the order of the checks. */
export function check(op: Declaration, caller: CallerTraits): string {
  const rule = expected.get(op.id)!
  if (rule === 'anyone') return passes
  if (caller.broken) return caller.broken
  if (caller.type === 'nobody' || notSignedIn(rule, caller)) return '401 unauthenticated'
  if (caller.by === 'token' && !tokenReaches(op, rule, caller)) return '403 token-scope'
  if (rule === 'token' && caller.by !== 'token') return '404 not-found'
  if (inUse(op, caller) || !mayAtAll(rule, caller)) return '403 forbidden'
  return traits(op, caller)
}

/** The panels' own operations only accept their own panel's sessions. */
const notSignedIn = (rule: Rule, { by, panel }: CallerTraits): boolean =>
  typeof rule === 'object' && 'panel' in rule && by !== 'token' && rule.panel !== (by === 'socket' ? 'admin' : panel)

function tokenReaches(op: Declaration, rule: Rule, caller: CallerTraits): boolean {
  if (rule === 'token') return true
  if (typeof rule !== 'object' || 'panel' in rule) return false
  const areas = caller.type === 'customer' ? rule.account.split(',').filter((area) => area !== '-') : rule.admin
  if (areas.length === 0 || (caller.type === 'customer' && caller.elsewhere)) return false
  return inScope(op, areas, caller.scopes ?? [])
}

function inScope(op: Declaration, areas: readonly string[], scopes: readonly string[]): boolean {
  const has = (scope: string) => scopes.includes(scope)
  const reads = readsOnly(op)
  if (has('full-access') || (reads && has('read-only'))) return true
  const inArea = (area: string) => has(`${area}:write`) || (reads && has(`${area}:read`))
  return areas.some((set) => set.split('+').every(inArea))
}

const inUse = (op: Declaration, { acting, restricted }: CallerTraits): boolean =>
  (acting === true && notWhileActing.has(op.id)) || (restricted === true && !whileRestricted.has(op.id))

function mayAtAll(rule: Rule, caller: CallerTraits): boolean {
  if (typeof rule === 'string' || 'panel' in rule || caller.type === 'root') return true
  return caller.type === 'customer' ? rule.customer : resellerMay(rule, caller)
}

const resellerMay = ({ reseller }: Who, { able }: CallerTraits): boolean =>
  reseller === 'own' || (reseller !== '-' && able === true)

/** Objects in the path, then the feature, then whether the account is suspended. */
function traits(op: Declaration, caller: CallerTraits): string {
  if (caller.elsewhere && namesObject(op) && caller.type !== 'root') return '404 not-found'
  if (caller.withoutFeature && (caller.by === 'token' || needsApiTokens(op.id))) return '403 feature-disabled'
  if (caller.suspended && !whileSuspended.has(op.id)) return '403 account-suspended'
  if (caller.acting && onceConfirmed.has(op.id)) return '403 confirm-password'
  return passes
}
