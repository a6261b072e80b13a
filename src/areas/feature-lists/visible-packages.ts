import { type SQL, sql } from 'drizzle-orm'
import { holds, isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { getSetting } from '../../runtime/settings/settings.ts'

/**
 * Which rows of `packages` the actor sees: a reseller its own, the default, and root's with viewglobalpackages. It
 * stands here because feature lists depend on it too, and packages hang on feature lists.
 */
export function seenPackages({ actor, db }: Context): SQL {
  if (isRoot(actor)) return sql`1`
  const owners = [actor.id, ...(holds(actor, 'viewglobalpackages') ? [getSetting(db, 'root_id')!] : [])]
  return sql`(packages.owner_id IN ${owners} OR packages.id = ${getSetting(db, 'default_package_id')!})`
}
