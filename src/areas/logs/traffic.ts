import { and, asc, between, eq } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import type { Days } from './days.ts'
import { trafficDays } from './tables.ts'

/** What an account transferred, by day. */
export const trafficIn = (db: Db, account: string, { from, to }: Days): (typeof trafficDays.$inferSelect)[] =>
  db
    .select()
    .from(trafficDays)
    .where(and(eq(trafficDays.account_id, account), between(trafficDays.day, from, to)))
    .orderBy(asc(trafficDays.day))
    .all()
