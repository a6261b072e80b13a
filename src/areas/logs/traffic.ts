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

/** A node's accounts by these usernames, or addresses' domains. Two queries: a node chooses how many it names. */
export function ownersOn(db: Db, node: string, names: readonly string[]): Map<string, string> {
  const known = new Map([...accountsNamed(db, node, names), ...accountsWith(db, node, names.map(domainIn))])
  return new Map(
    names.flatMap((name) => {
      const account = known.get(domainIn(name).includes('.') ? domainIn(name) : name)
      return account === undefined ? [] : [[name, account]]
    }),
  )
}

const domainIn = (name: string): string => name.slice(name.lastIndexOf('@') + 1)
const among = (names: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(names)}))`

const accountsNamed = (db: Db, node: string, names: readonly string[]): [string, string][] =>
  db
    .select({ name: accounts.username, id: accounts.id })
    .from(accounts)
    .where(and(sql`${accounts.username} IN ${among(names)}`, eq(accounts.node, node)))
    .all()
    .map(({ name, id }) => [name, id])

const accountsWith = (db: Db, node: string, names: readonly string[]): [string, string][] =>
  db
    .select({ name: domains.name, id: domains.account_id })
    .from(domains)
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .where(and(sql`${domains.name} IN ${among(names)}`, eq(accounts.node, node)))
    .all()
    .map(({ name, id }) => [name, id])

/** An account's traffic by day. */
export const trafficIn = (db: Db, account: string, { from, to }: Days): (typeof trafficDays.$inferSelect)[] =>
  db
    .select()
    .from(trafficDays)
    .where(and(eq(trafficDays.account_id, account), between(trafficDays.day, from, to)))
    .orderBy(asc(trafficDays.day))
    .all()
