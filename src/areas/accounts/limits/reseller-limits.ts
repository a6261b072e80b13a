import { noShell } from '../../../contract/accounts.ts'
import type { Privilege } from '../../../contract/common.ts'
import { invalid, Problem, type ProblemFields } from '../../../contract/problem.ts'
import { type Actor, holds } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { beyondIsolation, beyondLimits, needs } from '../../packages/acl.ts'
import type { PackageRow } from '../../packages/tables.ts'
import type { AccountRow } from '../tables.ts'

type ResellerLimits = Partial<AccountRow>

/** What an account will have, by itself or by its package. */
interface Grant {
  readonly before?: AccountRow
  readonly values?: ResellerLimits
  readonly plan?: PackageRow
}

/** Limits with a privilege of their own, whatever the value. */
const guarded = [
  ['disk_quota_mb', 'quota'],
  ['bw_limit_mb', 'limit-bandwidth'],
  ['max_email_per_hour', 'allow-emaillimits-pkgs'],
] as const satisfies readonly (readonly [keyof AccountRow, Privilege])[]

/**
 * 400 for what a reseller may not grant: directly to an account, which names each field, or through its own packages. A
 * reseller may pass on whatever root put into a package, except a shell.
 */
export function refuseBeyondPrivileges(ctx: Context, { before, values = {}, plan }: Grant): void {
  const { actor } = ctx
  const changed = before ? changes(before, values) : values
  const fields = {
    ...beyondLimits(actor, changed),
    ...guardedProblems(actor, changed),
    ...shellProblem(actor, changed),
  }
  if (Object.keys(fields).length > 0)
    throw new Problem('validation', `This goes beyond your privileges: ${Object.keys(fields).join(', ')}.`, fields)
  if (plan) refusePackage(ctx, plan, values.shell ?? plan.shell)
}

const changes = (before: AccountRow, values: ResellerLimits): ResellerLimits =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => before[name as keyof AccountRow] !== value))

const guardedProblems = (actor: Actor, values: ResellerLimits): ProblemFields =>
  Object.fromEntries(
    guarded
      .filter(([field, privilege]) => values[field] !== undefined && !holds(actor, privilege))
      .map(([field, privilege]) => [field, needs(privilege)]),
  )

const shellProblem = (actor: Actor, { shell = noShell }: ResellerLimits): ProblemFields =>
  shell === noShell || holds(actor, 'allow-shell') ? {} : { shell: needs('allow-shell') }

function refusePackage(ctx: Context, plan: PackageRow, shell: string): void {
  const { actor } = ctx
  const isOwn = plan.owner_id === actor.id
  const limits = isOwn ? { ...beyondLimits(actor, plan), ...beyondIsolation(ctx, plan.isolation) } : {}
  const [[field, problem] = []] = Object.entries({ ...limits, ...shellProblem(actor, { shell }) })
  if (field) throw invalid('package_id', `its ${field} ${problem}`)
}
