import { and, desc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Release } from '../../../contract/apps/releases.ts'
import { notFound } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Db, Store } from '../../../store/open.ts'
import { type Paging, page } from '../../../store/page.ts'
import { insertInto, update } from '../../../store/rows.ts'
import { type ReleaseRow, releases } from '../tables.ts'

const insert = insertInto(releases)
const write = update(releases, 'id = ?')

type WriteStore = { readonly store: Store }

export const addRelease = ({ store }: WriteStore, row: ReleaseRow): void => void insert(store.sqlite, row)

export const setRelease = ({ store }: WriteStore, id: string, values: Partial<ReleaseRow>): void =>
  void write(store.sqlite, values, id)

export const releaseById = (db: Db, id: string): ReleaseRow | undefined =>
  db.select().from(releases).where(eq(releases.id, id)).get()

export const releaseNumbered = (db: Db, app: string, number: number): ReleaseRow | undefined =>
  db
    .select()
    .from(releases)
    .where(and(eq(releases.app_id, app), eq(releases.number, number)))
    .get()

/** The app's release with this id, or 404. */
export function findRelease({ db }: Context, app: string, id: string): ReleaseRow {
  const found = releaseById(db, id)
  if (found?.app_id !== app) throw notFound('release')
  return found
}

/** Kept releases besides the live one, last live first. */
export const supersededOf = (db: Db, app: string): ReleaseRow[] =>
  db
    .select()
    .from(releases)
    .where(and(eq(releases.app_id, app), eq(releases.status, 'superseded')))
    .orderBy(desc(releases.activated_at), desc(releases.id))
    .all()

/** The numbers of releases whose files are kept, including one being rolled back to. */
export const retainedNumbers = (db: Db, app: string): number[] =>
  db
    .select({ number: releases.number })
    .from(releases)
    .where(
      and(
        eq(releases.app_id, app),
        isNotNull(releases.activated_at),
        inArray(releases.status, ['live', 'superseded', 'checking']),
      ),
    )
    .all()
    .map(({ number }) => number)

export const pageOfReleases = ({ db }: Context, app: string, paging: Paging) =>
  page(
    db,
    { rows: db.select().from(releases).$dynamic(), table: releases, id: releases.id, where: eq(releases.app_id, app) },
    paging,
  )

const MAX_LISTED_RELEASES = 100

/** Deletes rows beyond the last 100 that have no files. */
export const forgetOld = ({ db }: Pick<Context, 'db'>, { app_id, number }: ReleaseRow): void =>
  void db
    .delete(releases)
    .where(
      and(
        eq(releases.app_id, app_id),
        lt(releases.number, number - MAX_LISTED_RELEASES + 1),
        sql`${releases.status} NOT IN ('live', 'superseded')`,
      ),
    )
    .run()

export const warningsOf = ({ warnings }: ReleaseRow): string[] => (warnings === null ? [] : JSON.parse(warnings))

/** Row to resource (contract: Release). */
export const toRelease = (row: ReleaseRow, urls: readonly string[]): z.infer<typeof Release> => ({
  id: row.id,
  number: row.number,
  source: row.source,
  status: row.status,
  job_id: row.job_id,
  created_at: row.created_at,
  ...present({
    ref: row.ref,
    commit: row.commit_id,
    error: row.error,
    warnings: row.warnings === null ? null : warningsOf(row),
    size_bytes: row.size_bytes,
    activated_at: row.activated_at,
    urls: urls.length > 0 ? [...urls] : null,
  }),
})
