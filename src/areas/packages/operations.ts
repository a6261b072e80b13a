import { count, eq } from 'drizzle-orm'
import type { Input } from '../../contract/operation.ts'
import type * as declared from '../../contract/packages.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { findFeatureList } from '../feature-lists/store.ts'
import { newIsolation, refuseBeyondAcl } from './acl.ts'
import { refusePackageGrant } from './part.ts'
import { countAccounts, findPackage, listPackages as list, nameTaken, own, ownerOf, toPackage } from './store.ts'
import { type PackageRow, packages } from './tables.ts'

type PackageSettings = Input<typeof declared.updatePackage>['body']

const listPackages: Handler<typeof declared.listPackages> = { handle: (ctx, { query }) => list(ctx, query) }

const createPackage: Handler<typeof declared.createPackage> = {
  handle(ctx, { body }) {
    const owner_id = ownerOf(ctx.actor, ctx.db)
    const id = ctx.id()
    const row: PackageRow = {
      ...defaults(ctx),
      ...unset,
      ...body,
      id,
      owner_id,
      isolation: newIsolation(ctx, body.isolation),
      letters: body.letters ?? null,
      node_labels: body.node_labels ?? null,
      created_at: ctx.now,
      updated_at: ctx.now,
    }
    if (body.feature_list_id !== undefined) refuseUnusableFeatures(ctx, body.feature_list_id)
    refuseBeyondAcl(ctx, row, false)
    refuseLabels(ctx, body)
    refuseTakenName(ctx, owner_id, body.name)
    refuseManyPackages(ctx, owner_id)
    ctx.db.insert(packages).values(row).run()
    ctx.emit({ type: 'package.created', object_id: id, details: { name: body.name } })
    ctx.note({ object_id: id, after: body })
    return toPackage(findPackage(ctx, id))
  },
}

const unset = {
  bw_limit_mb: null,
  disk_quota_mb: null,
  default_email_quota_mb: null,
  max_email_quota_mb: null,
  max_addon: null,
  max_email: null,
  max_email_per_hour: null,
  max_ftp: null,
  max_parked: null,
  max_sql: null,
  max_sub: null,
  php_max_children: null,
  max_backups: null,
  max_apps: null,
  php_memory_max_mb: null,
  php_execution_max_s: null,
  php_upload_max_mb: null,
}

const defaults = (ctx: Context) => ({
  feature_list_id: findFeatureList(ctx, 'default').id,
  theme: 'default' as const,
  shell: '/usr/sbin/nologin',
  locale: 'en',
  cgi: true,
  dedicated_ip: false,
  digest_auth: false,
  backup_schedule: 'none' as const,
  backup_keep: 7,
})

const getPackage: Handler<typeof declared.getPackage> = {
  handle: ({ found }) => toPackage(found.plan),
}

const updatePackage: Handler<typeof declared.updatePackage> = {
  handle(ctx, { body }) {
    const before = own(ctx, ctx.found.plan)
    const fields = changed(before, body)
    if (body.feature_list_id !== undefined && fields.includes('feature_list_id'))
      refuseUnusableFeatures(ctx, body.feature_list_id)
    refuseBeyondAcl(ctx, { ...before, ...(body as Partial<PackageRow>) }, before.account_count > 0)
    refuseLabels(ctx, body)
    if (body.name !== undefined) refuseTakenName(ctx, before.owner_id, body.name, before.id)
    if (fields.length === 0) return toPackage(before)
    // Whatever changes, its job gives the accounts all limits of the package.
    refusePackageGrant(ctx, { ...before, ...(body as Partial<PackageRow>) })
    ctx.db
      .update(packages)
      .set({ ...(body as Partial<PackageRow>), updated_at: ctx.now })
      .where(eq(packages.id, before.id))
      .run()
    ctx.emit({ type: 'package.updated', object_id: before.id, details: { name: body.name ?? before.name, fields } })
    const isOfHost = fields.some((name) => appliedToHost.includes(name))
    const payload = { package_id: before.id, ...(isOfHost && { isolation: 'changed' }) }
    ctx.enqueue({ kind: 'package.apply', object_id: before.id, payload })
    ctx.note({ object_id: before.id, before: pick(before, fields), after: pick(body, fields) })
    return toPackage(findPackage(ctx, before.id))
  },
}

/** What accounts do not store, but their hosts get. */
const appliedToHost = ['isolation', 'php_memory_max_mb', 'php_execution_max_s', 'php_upload_max_mb']

function refuseLabels({ actor }: Context, { node_labels }: Pick<PackageSettings, 'node_labels'>): void {
  if (node_labels !== undefined && !isRoot(actor)) throw invalid('node_labels', 'only root can ask for labels')
}

const changed = (before: PackageRow, body: PackageSettings): string[] =>
  Object.entries(body).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify(before[name as keyof PackageRow]) ? [] : [name],
  )

const pick = (from: object, fields: string[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field, (from as Record<string, unknown>)[field]]))

const deletePackage: Handler<typeof declared.deletePackage> = {
  handle(ctx) {
    const plan = own(ctx, ctx.found.plan)
    const used = countAccounts(ctx.db, plan)
    if (used > 0)
      throw new Problem('in-use', `The package ${plan.name} still has accounts (${used}); move them to another first.`)
    if (plan.id === getSetting(ctx.db, 'default_package_id'))
      throw new Problem('in-use', 'The default package cannot be deleted: new accounts use it.')
    ctx.db.delete(packages).where(eq(packages.id, plan.id)).run()
    ctx.emit({ type: 'package.deleted', object_id: plan.id, details: { name: plan.name } })
    ctx.note({ object_id: plan.id, before: { name: plan.name } })
    return undefined
  },
}

/** Of a reseller. */
const MAX_PACKAGES = 500

function refuseManyPackages({ actor, db }: Context, owner_id: string): void {
  if (isRoot(actor)) return
  const owned = db.select({ total: count() }).from(packages).where(eq(packages.owner_id, owner_id)).get()!.total
  if (owned >= MAX_PACKAGES)
    throw new Problem('limit-reached', `A reseller has at most ${MAX_PACKAGES} packages; delete one first.`)
}

function refuseTakenName(ctx: Context, owner_id: string, name: string, self?: string): void {
  if (nameTaken(ctx, owner_id, name, self))
    throw new Problem('exists', `A package named ${name} already exists.`, { name: 'is taken; choose another' })
}

function refuseUnusableFeatures(ctx: Context, id: string): void {
  try {
    findFeatureList(ctx, id)
  } catch {
    throw invalid('feature_list_id', 'is not a feature list that you can use')
  }
}

export const packageOperations = { listPackages, createPackage, getPackage, updatePackage, deletePackage }
