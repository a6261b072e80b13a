import { eq } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { objectsOf } from '../accounts/objects/objects.ts'
import { type CsrRow, csrs } from './tables.ts'

export const csrsOf = objectsOf(csrs, { noun: 'signing request', name: csrs.id })

/** Newest first. */
export const csrsOfDomain = (db: Db, domainId: string): CsrRow[] =>
  db.select().from(csrs).where(eq(csrs.domain_id, domainId)).orderBy(csrs.id).all().reverse()
