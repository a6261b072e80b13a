import { eq, sql } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import type { FullAccount } from '../accounts/store.ts'
import { type EmailAccountRow, emailAccounts } from './tables.ts'

export const DEFAULT_SCORE = 6

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(emailAccounts)
    .where(eq(emailAccounts.account_id, sql.placeholder('account')))
    .prepare(),
}))

/** An account's mail settings beyond its domains; undefined until something is set or measured. */
export const emailAccountOf = (db: Db, account: string): EmailAccountRow | undefined =>
  queries(db).byId.get({ account })

/** The score from which mail counts as spam. */
export const scoreOf = (db: Db, account: string): number => emailAccountOf(db, account)?.spam_score ?? DEFAULT_SCORE

/** Changes an account's mail settings beyond its domains. */
export function setEmailAccount(
  { db }: Pick<Context, 'db'>,
  { id, created_at }: Pick<FullAccount, 'id' | 'created_at'>,
  values: Partial<Omit<EmailAccountRow, 'account_id'>>,
): void {
  const defaults = { spam_score: DEFAULT_SCORE, sent_this_hour: 0, measured_at: created_at }
  db.insert(emailAccounts)
    .values({ account_id: id, ...defaults, ...values })
    .onConflictDoUpdate({ target: emailAccounts.account_id, set: values })
    .run()
}
