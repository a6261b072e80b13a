import { and, asc, count, eq, inArray, type Placeholder, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Redirect } from '../../contract/domains.ts'
import { notFound } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto } from '../../store/rows.ts'
import { domains, type RedirectRow, redirects } from './tables.ts'

const insert = insertInto(redirects)

export const addRedirect = ({ store }: Context, row: RedirectRow): void => void insert(store.sqlite, row)

const isPresent = (domain: string | Placeholder) => and(eq(redirects.domain_id, domain), sql`${redirects.removed} = 0`)

const queries = prepared((db: Db) => ({
  present: db
    .select()
    .from(redirects)
    .where(isPresent(sql.placeholder('domain')))
    .orderBy(asc(redirects.id))
    .prepare(),
}))

/** A domain's redirects, in order of creation. */
export const redirectsOf = (db: Db, domain: string): RedirectRow[] => queries(db).present.all({ domain })

export const countRedirects = (db: Db, domain: string): number =>
  db.select({ total: count() }).from(redirects).where(isPresent(domain)).get()!.total

/** Of all domains of an account. */
export const countRedirectsOfAccount = (db: Db, account: string): number =>
  db
    .select({ total: count() })
    .from(redirects)
    .innerJoin(domains, eq(domains.id, redirects.domain_id))
    .where(and(eq(domains.account_id, account), eq(redirects.removed, false)))
    .get()!.total

/** The redirect, or 404 `not-found` if the domain has none with this id. */
export function findRedirect({ db }: Context, domain: string, id: string): RedirectRow {
  const found = db
    .select()
    .from(redirects)
    .where(and(isPresent(domain), eq(redirects.id, id)))
    .get()
  if (!found) throw notFound('redirect')
  return found
}

/** The domain's redirect from a path. */
export const redirectFrom = (
  db: Db,
  domain: string,
  { path, match }: Pick<RedirectRow, 'path' | 'match'>,
): RedirectRow | undefined =>
  db
    .select()
    .from(redirects)
    .where(and(isPresent(domain), eq(redirects.path, path), eq(redirects.match, match)))
    .get()

/** A redirect that may be on the host is kept until the removal is applied, so that it can be undone. */
export function removeRedirect({ db }: Context, { id, applied }: RedirectRow): void {
  const row = eq(redirects.id, id)
  if (applied) db.update(redirects).set({ removed: true }).where(row).run()
  else db.delete(redirects).where(row).run()
}

/** Deletes all of a domain's redirects, whatever the host has: the caller applies that. */
export const forgetRedirects = ({ db }: Context, domain: string): void =>
  void db.delete(redirects).where(eq(redirects.domain_id, domain)).run()

/** Ids of the redirects about to be applied, and about to be removed. */
export interface RedirectChange {
  readonly retained: readonly string[]
  readonly gone: readonly string[]
}

export function pendingRedirects(db: Db, domain: string): RedirectChange {
  const rows = db.select().from(redirects).where(eq(redirects.domain_id, domain)).all()
  const ids = (some: readonly RedirectRow[]) => some.map(({ id }) => id)
  return {
    retained: ids(rows.filter(({ applied, removed }) => !applied && !removed)),
    gone: ids(rows.filter(({ removed }) => removed)),
  }
}

/** Marks them as applied. */
export function settleRedirects({ db }: Pick<Context, 'db'>, { retained, gone }: RedirectChange): void {
  if (gone.length > 0)
    db.delete(redirects)
      .where(inArray(redirects.id, [...gone]))
      .run()
  if (retained.length > 0)
    db.update(redirects)
      .set({ applied: true })
      .where(inArray(redirects.id, [...retained]))
      .run()
}

/** Restores the redirects last applied. */
export function putBackRedirects({ db }: Pick<Context, 'db'>, domain: string): void {
  db.delete(redirects)
    .where(and(eq(redirects.domain_id, domain), eq(redirects.applied, false)))
    .run()
  db.update(redirects).set({ removed: false }).where(eq(redirects.domain_id, domain)).run()
}

/** Row to resource (contract: Redirect). */
export const toRedirect = (row: RedirectRow): z.infer<typeof Redirect> => ({
  id: row.id,
  domain_id: row.domain_id,
  path: row.path,
  match: row.match,
  target: row.target,
  status: row.status,
  keep_path: row.keep_path,
  created_at: row.created_at,
})
