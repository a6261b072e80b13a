import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { type EmailAccountRow, emailAccounts } from './tables.ts'

const usualScore = 6

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(emailAccounts)
    .where(eq(emailAccounts.account_id, sql.placeholder('account')))
    .prepare(),
}))

/** What an account's mail has beyond its domains; none as long as nothing was set or measured. */
export const emailAccountOf = (db: Db, account: string): EmailAccountRow | undefined =>
  queries(db).byId.get({ account })

/** From how many points on mail is taken for spam. */
export const scoreOf = (db: Db, account: string): number => emailAccountOf(db, account)?.spam_score ?? usualScore
