import { and, asc, between, eq } from 'drizzle-orm'
import type { VisitDay } from '../../host/contract/driver.ts'
import type { Db } from '../../store/open.ts'
import { namesOf } from '../domains/names.ts'
import type { DomainRow } from '../domains/tables.ts'
import type { Days } from './days.ts'
import { addVisitors } from './hashes.ts'
import { type VisitorDayRow, visitorDays } from './tables.ts'
import { fromElsewhere, merged, noTop } from './top.ts'

/** Entries kept per ranking during a day. */
const MAX_OPEN_DAYS = 100

/** Adds a day's counts of a site; inside a change. */
export function addVisits(db: Db, domain: Pick<DomainRow, 'id' | 'name' | 'kind'>, visits: VisitDay): void {
  const known = dayIn(db, domain.id, visits.day) ?? begin(db, domain.id, visits.day)
  const referrers = fromElsewhere(visits.referrers, namesOf(domain))
  db.update(visitorDays)
    .set({
      requests: known.requests + visits.requests,
      visitors: known.visitors + (known.open ? addVisitors(db, known.id, visits.visitors) : 0),
      bytes: known.bytes + visits.bytes,
      bots: known.bots + visits.bots,
      top: merged([known.top, { ...visits, referrers }], MAX_OPEN_DAYS),
    })
    .where(eq(visitorDays.id, known.id))
    .run()
}

const dayIn = (db: Db, domain: string, day: string): VisitorDayRow | undefined =>
  db
    .select()
    .from(visitorDays)
    .where(and(eq(visitorDays.domain_id, domain), eq(visitorDays.day, day)))
    .get()

const begin = (db: Db, domain_id: string, day: string): VisitorDayRow =>
  db
    .insert(visitorDays)
    .values({ domain_id, day, requests: 0, visitors: 0, bytes: 0, bots: 0, top: noTop, open: true })
    .returning()
    .get()

/** A site's statistics by day. */
export const visitsIn = (db: Db, domain: string, { from, to }: Days): VisitorDayRow[] =>
  db
    .select()
    .from(visitorDays)
    .where(and(eq(visitorDays.domain_id, domain), between(visitorDays.day, from, to)))
    .orderBy(asc(visitorDays.day))
    .all()
