import { domainToUnicode } from 'node:url'
import { and, asc, count, eq, inArray, ne, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Domain, DomainKind } from '../../contract/domains.ts'
import { seesFieldOfRoot } from '../../runtime/operations/authorize.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto, update } from '../../store/rows.ts'
import { objectsOf } from '../accounts/objects/objects.ts'
import { namesOf } from './names.ts'
import { domainParts } from './part.ts'
import { effectivePhp } from './php.ts'
import { effectiveRules, rulesView } from './site-rules.ts'
import { type DomainRow, domains } from './tables.ts'
import { verificationView } from './verification/view.ts'
import { wafView } from './waf/rules.ts'

export const domainsOf = objectsOf(domains, { noun: 'domain', name: domains.name })

const insert = insertInto(domains)
const write = update(domains, 'id = ?')
const writeNewMain = update(domains, "account_id = ? AND kind = 'main' AND status = 'provisioning'")

export const addDomain = ({ store }: Context, row: DomainRow): void => void insert(store.sqlite, row)

export const setDomain = ({ store }: Pick<Context, 'store'>, id: string, values: Partial<DomainRow>): void =>
  void write(store.sqlite, values, id)

/** Marks the account's main domain active, since the host has it. */
export const activateMain = ({ store }: Pick<Context, 'store'>, account: string): void =>
  void writeNewMain(store.sqlite, { status: 'active' }, account)

export const removeDomain = ({ db }: Pick<Context, 'db'>, id: string): void =>
  void db.delete(domains).where(eq(domains.id, id)).run()

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(domains)
    .where(eq(domains.id, sql.placeholder('id')))
    .prepare(),
  ofKind: db
    .select({ total: count() })
    .from(domains)
    .where(and(eq(domains.account_id, sql.placeholder('account')), eq(domains.kind, sql.placeholder('kind'))))
    .prepare(),
  mainOf: db
    .select()
    .from(domains)
    .where(and(eq(domains.account_id, sql.placeholder('account')), sql`${domains.kind} = 'main'`))
    .prepare(),
  served: db
    .select()
    .from(domains)
    .where(and(eq(domains.account_id, sql.placeholder('account')), ne(domains.status, 'deleting')))
    .orderBy(asc(domains.id))
    .prepare(),
}))

/** The domain with an id, for any caller. */
export const domainById = (db: Db, id: string): DomainRow | undefined => queries(db).byId.get({ id })

/** Every account has a main domain. */
export const mainDomainOf = (db: Db, account: string): DomainRow => queries(db).mainOf.get({ account })!

/** The domains that the account's host should serve. */
export const servedDomains = (db: Db, account: string): DomainRow[] => queries(db).served.all({ account })

export const countOfKind = (kind: DomainKind) => (db: Db, account: string) =>
  queries(db).ofKind.get({ account, kind })!.total

/** How many domains of a kind belong to another. */
export const countOn = (db: Db, parent: string, kind: DomainKind): number =>
  db
    .select({ total: count() })
    .from(domains)
    .where(and(eq(domains.parent_id, parent), eq(domains.kind, kind)))
    .get()!.total

/** The domain whose site it shows: itself or its parent. */
export const siteOf = (db: Db, domain: DomainRow): DomainRow =>
  domain.kind === 'parked' ? domainById(db, domain.parent_id!)! : domain

/** Row to resource (contract: Domain). */
export function toDomain(
  { db, runtime, now, actor }: Pick<Context, 'db' | 'runtime' | 'now' | 'actor'>,
  row: DomainRow,
): z.infer<typeof Domain> {
  const site = siteOf(db, row)
  const views = domainParts(runtime).map((part) => part.view?.(db, row, now))
  return {
    id: row.id,
    account_id: row.account_id,
    name: row.name,
    name_unicode: domainToUnicode(row.name),
    kind: row.kind,
    names: namesOf(row),
    document_root: site.document_root!,
    handler: site.handler,
    https_redirect: row.https_redirect,
    ...rulesView(effectiveRules(row, site), seesFieldOfRoot(actor, 'server')),
    ...wafView(runtime, runtime.ports.nodeOf(db, row.account_id), site.rules),
    ...present({ effective_php_version: effectivePhp(db, site) ?? null }),
    ...Object.assign({}, ...views),
    ...verificationView(db, row),
    status: row.status,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...present({ parent_id: row.parent_id, app_id: site.app_id }),
  }
}

/** The account's domains with these names, in the order of the names. */
export function domainsNamed(db: Db, account: string, names: readonly string[]): DomainRow[] {
  const used = db
    .select()
    .from(domains)
    .where(and(eq(domains.account_id, account), inArray(domains.name, [...names])))
    .all()
  return names.flatMap((name) => used.filter((one) => one.name === name))
}
