import { and, asc, eq } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { type RedirectRow, redirects } from './tables.ts'

/** A domain's redirects, in order of creation. */
export const redirectsOf = (db: Db, domain: string): RedirectRow[] =>
  db
    .select()
    .from(redirects)
    .where(and(eq(redirects.domain_id, domain), eq(redirects.removed, false)))
    .orderBy(asc(redirects.id))
    .all()
