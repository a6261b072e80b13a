import { and, asc, between, eq, gte, ne, sql } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { accounts } from '../accounts/tables.ts'
import { domains } from '../domains/tables.ts'
import type { Days } from './days.ts'
import { trafficDays } from './tables.ts'

export interface Amounts {
  readonly web_in: number
  readonly web_out: number
  readonly ftp: number
  readonly mail: number
}

const megabyte = 1024 * 1024
const { web_in, web_out, ftp, mail } = trafficDays

/** Prepared once: each round reads every account's month. */
const queries = prepared((db: Db) => ({
  month: db
    .select({ bytes: sql<number>`coalesce(sum(${web_in} + ${web_out} + ${ftp} + ${mail}), 0)` })
    .from(trafficDays)
    .where(and(eq(trafficDays.account_id, sql.placeholder('account')), gte(trafficDays.day, sql.placeholder('first'))))
    .prepare(),
  show: db
    .update(accounts)
    .set({ bw_used_month_mb: sql`${sql.placeholder('mb')}` })
    .where(and(eq(accounts.id, sql.placeholder('account')), ne(accounts.bw_used_month_mb, sql.placeholder('mb'))))
    .prepare(),
}))

/** Adds to an account's traffic of a day. */
export function addTraffic(db: Db, account_id: string, day: string, amounts: Amounts): void {
  db.insert(trafficDays)
    .values({ account_id, day, ...amounts })
    .onConflictDoUpdate({
      target: [trafficDays.account_id, trafficDays.day],
      set: {
        web_in: sql`${web_in} + excluded.web_in`,
        web_out: sql`${web_out} + excluded.web_out`,
        ftp: sql`${ftp} + excluded.ftp`,
        mail: sql`${mail} + excluded.mail`,
      },
    })
    .run()
}

/** Updates the account's shown traffic of this month. */
export function showMonth(db: Db, account: string, now: number): void {
  const first = `${new Date(now).toISOString().slice(0, 7)}-01`
  const { bytes } = queries(db).month.get({ account, first })!
  queries(db).show.run({ account, mb: Math.ceil(bytes / megabyte) })
}

/** The account of a username, or of an address's domain. */
export function ownerOf(db: Db, name: string): string | undefined {
  const domain = name.slice(name.lastIndexOf('@') + 1)
  const found = domain.includes('.')
    ? db.select({ id: domains.account_id }).from(domains).where(eq(domains.name, domain))
    : db.select({ id: accounts.id }).from(accounts).where(eq(accounts.username, name))
  return found.get()?.id
}

/** An account's traffic by day. */
export const trafficIn = (db: Db, account: string, { from, to }: Days): (typeof trafficDays.$inferSelect)[] =>
  db
    .select()
    .from(trafficDays)
    .where(and(eq(trafficDays.account_id, account), between(trafficDays.day, from, to)))
    .orderBy(asc(trafficDays.day))
    .all()
