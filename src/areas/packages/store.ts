import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { limits } from '../../contract/accounts.ts'
import type { Package } from '../../contract/packages.ts'
import { invalid, notFound } from '../../contract/problem.ts'
import { type Actor, holds, isRoot } from '../../runtime/operations/actor.ts'
import { type Context, isRead } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import { getSetting, rootId } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'
import { page, type Search } from '../../store/page.ts'
import { prepared } from '../../store/prepared.ts'
import { featureLists } from '../feature-lists/tables.ts'
import { seenPackages } from '../feature-lists/visible-packages.ts'
import { type PackageRow, packages } from './tables.ts'

export type FullPackage = PackageRow & { feature_list_name: string; owner: string | null; account_count: number }

const selection = {
  ...getTableColumns(packages),
  feature_list_name: featureLists.name,
  // Reads names by SQL alone: packages must not import the areas that extend them.
  owner: sql<string | null>`(SELECT username FROM accounts AS owners WHERE owners.id = ${packages.owner_id})`,
  account_count: sql<number>`(SELECT count(*) FROM accounts AS held WHERE held.package_id = ${packages.id})`,
}

/** Resellers do not learn how many accounts of others use a package of root's. */
const ownCount = ({ id }: Actor) =>
  sql<number>`(SELECT count(*) FROM accounts AS held WHERE held.package_id = ${packages.id} AND held.owner_id = ${id})`

const uncounted = { ...selection, account_count: sql<number>`NULL` }

/** An account count that the actor may know. */
const countedFor = (actor: Actor) => (isRoot(actor) ? selection : { ...selection, account_count: ownCount(actor) })

const joined = (db: Db, selected = selection) =>
  db.select(selected).from(packages).innerJoin(featureLists, eq(featureLists.id, packages.feature_list_id))

/** Whether the actor sees it, as {@link seenPackages} says. */
function sees({ actor, db }: Context, { id, owner_id }: PackageRow): boolean {
  if (isRoot(actor) || owner_id === actor.id || id === getSetting(db, 'default_package_id')) return true
  return holds(actor, 'viewglobalpackages') && owner_id === getSetting(db, 'root_id')
}

/** The package, or 404 `not-found` if it is unknown or not visible to the actor. */
export function findPackage(ctx: Context, id: string): FullPackage {
  const found = joined(ctx.db, countedFor(ctx.actor))
    .where(and(eq(packages.id, id), seenPackages(ctx)))
    .get()
  if (!found) throw notFound('package')
  return found
}

/** The package, if the actor can change it. */
export function own(ctx: Context, plan: FullPackage): FullPackage {
  if (!isRoot(ctx.actor) && plan.owner_id !== ctx.actor.id) throw notFound('package')
  return plan
}

const queries = prepared((db) => ({
  byId: db
    .select()
    .from(packages)
    .where(eq(packages.id, sql.placeholder('id')))
    .prepare(),
}))

/** The package for an account, by default the default one. 400 for one the caller cannot use. */
export function usablePackage(ctx: Context, id: string | undefined): PackageRow {
  const packageId = id ?? getSetting(ctx.db, 'default_package_id')!
  const found = queries(ctx.db).byId.get({ id: packageId })
  if (!found || !sees(ctx, found)) throw invalid('package_id', 'is not a package that you can use')
  return found
}

export function listPackages(ctx: Context, query: Search) {
  const rows = joined(ctx.db, isRead(ctx, 'account_count') ? countedFor(ctx.actor) : uncounted).$dynamic()
  const where = seenPackages(ctx)
  const { items, total } = page(ctx.db, { rows, table: packages, id: packages.id, where, name: packages.name }, query)
  return { items: items.map(toPackage), total }
}

/** The accounts of all owners that use it. */
export const countAccounts = (db: Db, { id }: PackageRow): number =>
  joined(db).where(eq(packages.id, id)).get()!.account_count

export const ownerOf = (actor: Actor, db: Db): string => (isRoot(actor) ? rootId(db) : actor.id)

/** Whether the owner has another package of this name. */
export function nameTaken(ctx: Context, owner_id: string, name: string, self?: string): boolean {
  const same = ctx.db
    .select({ id: packages.id })
    .from(packages)
    .where(and(eq(packages.owner_id, owner_id), eq(packages.name, name)))
    .get()
  return same !== undefined && same.id !== self
}

const numbers = Object.keys(limits) as (keyof typeof limits)[]

export function toPackage(row: FullPackage): z.infer<typeof Package> {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner ?? 'root',
    owner_id: row.owner_id,
    feature_list_id: row.feature_list_id,
    feature_list_name: row.feature_list_name,
    account_count: row.account_count,
    created_at: row.created_at,
    updated_at: row.updated_at,
    theme: row.theme,
    shell: row.shell as z.infer<typeof Package>['shell'],
    locale: row.locale as z.infer<typeof Package>['locale'],
    cgi: row.cgi,
    dedicated_ip: row.dedicated_ip,
    digest_auth: row.digest_auth,
    backup_schedule: row.backup_schedule,
    backup_keep: row.backup_keep,
    ...present({
      ...Object.fromEntries(numbers.map((name) => [name, row[name]])),
      isolation: row.isolation,
      letters: row.letters && [...new Set(row.letters)],
      node_labels: row.node_labels && [...row.node_labels],
      max_backups: row.max_backups,
      max_apps: row.max_apps,
      php_memory_max_mb: row.php_memory_max_mb,
      php_execution_max_s: row.php_execution_max_s,
      php_upload_max_mb: row.php_upload_max_mb,
    }),
  }
}
