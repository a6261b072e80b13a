import { and, asc, eq, sql } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { insertInto, update } from '../../store/rows.ts'
import { objectsOf } from '../accounts/objects/objects.ts'
import { domains } from '../domains/tables.ts'
import { type WordpressRow, wordpressSites } from './tables.ts'

/** Sites are searched by the names of their domains. */
export const domainName = sql<string>`(SELECT ${domains.name} FROM ${domains} WHERE ${domains.id} = ${wordpressSites.domain_id})`

export const sitesOf = objectsOf(wordpressSites, { noun: 'WordPress site', name: domainName })

const insert = insertInto(wordpressSites)
const write = update(wordpressSites, 'id = ?')

type Writes = Pick<Context, 'store'>

export const addSite = ({ store }: Writes, row: WordpressRow): void => void insert(store.sqlite, row)

export const setSite = ({ store }: Writes, id: string, values: Partial<WordpressRow>): void =>
  void write(store.sqlite, values, id)

export const removeSite = ({ db }: Pick<Context, 'db'>, id: string): void =>
  void db.delete(wordpressSites).where(eq(wordpressSites.id, id)).run()

export const siteById = (db: Db, id: string): WordpressRow | undefined =>
  db.select().from(wordpressSites).where(eq(wordpressSites.id, id)).get()

export const sitesOfDomain = (db: Db, domain: string): WordpressRow[] =>
  db.select().from(wordpressSites).where(eq(wordpressSites.domain_id, domain)).all()

/** The site of an account that has been missing longest. */
export const firstMissing = (db: Db, account: string): WordpressRow | undefined =>
  db
    .select()
    .from(wordpressSites)
    .where(and(eq(wordpressSites.account_id, account), eq(wordpressSites.status, 'missing')))
    .orderBy(asc(wordpressSites.missing_since), asc(wordpressSites.id))
    .limit(1)
    .get()

/** Ends the work on a site. */
export function settle(ctx: Pick<Context, 'db' | 'store'>, id: string): void {
  const site = siteById(ctx.db, id)
  if (site?.status === 'working') setSite(ctx, id, { status: site.problem ? 'unhealthy' : 'active' })
}
