import type { Feature } from '../../contract/common.ts'
import { type OperationId, operations } from '../../contract/index.ts'
import { areaSets, type Declaration, readsOnly } from '../../contract/operation.ts'
import { notFor, notWhileActing, type Problem, withoutFeature, withoutPrivilege } from '../../contract/problem.ts'
import type { Needs } from '../kit/components/command-bar.tsx'
import { holds } from '../kit/privileges.ts'
import type { SessionView } from '../kit/screen.ts'

export function needsOf(declaration: Declaration, panel: 'admin' | 'user'): Needs {
  const { token, allow } = declaration
  const area = panel === 'user' ? token.account : token.admin
  const areas = areaSets(area)
  return {
    ...(areas && { areas }),
    write: !readsOnly(declaration),
    session: area === 'none' || allow === 'session' || declaration.panel !== undefined,
  }
}

/** The minimal token scopes for it: `dns:write`. */
export const scopesOf = ({ areas, write }: Needs): string[] | undefined =>
  areas?.[0]?.map((area) => `${area}:${write ? 'write' : 'read'}`)

/** An account's features; undefined if unknown, which refuses nothing here: `run()` decides. */
export type Features = ReadonlySet<Feature> | undefined

/** Whether a session may run an operation, by its declaration: others are not offered. */
export const mayRun = (id: OperationId, session: SessionView, features?: Features): boolean =>
  refusalToRun(id, session, features) === undefined

/** Why a session may not run an operation, as `run()` would say. */
export function refusalToRun(id: OperationId, session: SessionView, features?: Features): Problem | undefined {
  const op: Declaration = operations[id]
  if (!isAllowed(op, session)) return refusalOf(op, session)
  if (op.ownerOnly && session.acting_as) return notWhileActing()
  if (!op.feature || hasFeature(op.feature, features)) return undefined
  return withoutFeature(typeof op.feature === 'string' ? [op.feature] : op.feature)
}

function refusalOf({ allow }: Declaration, { role }: SessionView): Problem {
  const needed = typeof allow === 'string' || role !== 'reseller' ? undefined : allow.reseller
  return needed ? withoutPrivilege(needed) : notFor(role === 'reseller' ? 'reseller' : 'customer')
}

function isAllowed({ allow, panel }: Declaration, session: SessionView): boolean {
  const { is_root, role } = session
  if (allow === 'anyone' || allow === 'token') return allow === 'anyone'
  if (allow === 'session') return (panel === 'user') === (role === 'customer')
  if (is_root) return true
  if (role === 'customer') return allow.customer === true
  const { reseller } = allow
  return reseller === 'own' || (reseller !== undefined && holds(session, reseller))
}

export function hasFeature(needed: Declaration['feature'], features: Features): boolean {
  if (!needed || !features) return true
  return (typeof needed === 'string' ? [needed] : needed).some((one) => features.has(one))
}
