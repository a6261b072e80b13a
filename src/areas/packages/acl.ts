import { eq } from 'drizzle-orm'
import { noShell } from '../../contract/accounts.ts'
import type { Privilege } from '../../contract/common.ts'
import { limitPrivileges } from '../../contract/packages.ts'
import { Problem, type ProblemFields } from '../../contract/problem.ts'
import { type Actor, holds } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { type Isolation, type PackageRow, packages } from './tables.ts'

type PackageLimits = Pick<PackageRow, keyof typeof limitPrivileges>

const ruled = Object.keys(limitPrivileges) as (keyof PackageLimits)[]

/** What a limit can be without a privilege, and the start of what a refusal says. */
const possible = {
  number: { takes: (value: number | null) => value !== null, says: 'needs a number, or' },
  zero: { takes: (value: number | null) => value === 0, says: 'must be 0 without' },
  unset: { takes: (value: number | null) => value === null, says: 'must be empty without' },
}

/** An error for each limit, of a package or an account, that the actor's ACL does not allow. */
export const beyondLimits = (actor: Actor, limits: Partial<PackageLimits>): ProblemFields =>
  Object.fromEntries(
    ruled.flatMap((field) => {
      const { without, anyOf } = limitPrivileges[field]
      const { takes, says } = possible[without]
      const value = limits[field]
      const allowed = value === undefined || takes(value) || anyOf.some((privilege) => holds(actor, privilege))
      return allowed ? [] : [[field, `${says} the privilege ${anyOf[0]}`]]
    }),
  )

export const needs = (privilege: Privilege): string => `needs the privilege ${privilege}`

const privilegeOfIsolation = 'allow-unlimited-pkgs'

/** What root's default package leaves to every account; nothing for who may exceed it. */
function isolationCeiling({ actor, db }: Context): Isolation {
  if (holds(actor, privilegeOfIsolation)) return {}
  const id = getSetting(db, 'default_package_id')!
  return db.select({ isolation: packages.isolation }).from(packages).where(eq(packages.id, id)).get()?.isolation ?? {}
}

/** An error for each limit of isolation that is absent or larger than in the default package. */
export const beyondIsolation = (ctx: Context, isolation: Isolation | null): ProblemFields =>
  Object.fromEntries(
    Object.entries(isolationCeiling(ctx)).flatMap(([name, limit]) =>
      (isolation?.[name as keyof Isolation] ?? Number.POSITIVE_INFINITY) > limit
        ? [[`isolation.${name}`, `must be at most ${limit}; more ${needs(privilegeOfIsolation)}`]]
        : [],
    ),
  )

/** The isolation of a new package: where it names none, what the creator may grant. */
export function newIsolation(ctx: Context, isolation: Isolation | undefined): Isolation | null {
  const complete = { ...isolationCeiling(ctx), ...isolation }
  return Object.keys(complete).length > 0 ? complete : (isolation ?? null)
}

/** 400 naming each field that the actor's ACL does not allow in a package; its shell also affects existing accounts. */
export function refuseBeyondAcl(ctx: Context, plan: PackageRow, inUse: boolean): void {
  const { actor } = ctx
  const fields = {
    ...(plan.dedicated_ip && !holds(actor, 'add-pkg-ip') && { dedicated_ip: needs('add-pkg-ip') }),
    ...shellProblem(actor, plan.shell, inUse ? ['add-pkg-shell', 'allow-shell'] : ['add-pkg-shell']),
    ...beyondLimits(actor, plan),
    ...beyondIsolation(ctx, plan.isolation),
  }
  if (Object.keys(fields).length === 0) return
  throw new Problem(
    'validation',
    `This package goes beyond your privileges: ${Object.keys(fields).join(', ')}.`,
    fields,
  )
}

function shellProblem(actor: Actor, shell: string, privileges: readonly Privilege[]): ProblemFields {
  const missing = shell === noShell ? undefined : privileges.find((privilege) => !holds(actor, privilege))
  return missing ? { shell: needs(missing) } : {}
}
