import { eq, sql } from 'drizzle-orm'
import type { Writes } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { insertInto, update } from '../../../store/rows.ts'
import { type EmailKeyRow, emailKeys } from '../tables.ts'

export const purpose = 'dkim key'

const insert = insertInto(emailKeys)
const write = update(emailKeys, 'id = ?')

export const addKey = ({ store }: Writes, row: EmailKeyRow): void => void insert(store.sqlite, row)
export const setKey = ({ store }: Writes, id: string, values: Partial<EmailKeyRow>): void =>
  void write(store.sqlite, values, id)
export const removeKey = ({ store }: Writes, id: string): void =>
  void store.db.delete(emailKeys).where(eq(emailKeys.id, id)).run()

const queries = prepared((db: Db) => ({
  ofAccount: db
    .select()
    .from(emailKeys)
    .where(eq(emailKeys.account_id, sql.placeholder('account')))
    .orderBy(emailKeys.id)
    .prepare(),
  ofDomain: db
    .select()
    .from(emailKeys)
    .where(eq(emailKeys.domain_id, sql.placeholder('domain')))
    .orderBy(emailKeys.number)
    .prepare(),
}))

export const keysOf = (db: Db, account: string): EmailKeyRow[] => queries(db).ofAccount.all({ account })
/** Oldest first. */
export const keysOfDomain = (db: Db, domain: string): EmailKeyRow[] => queries(db).ofDomain.all({ domain })
/** The key that signs, if there is one. */
export const currentKey = (db: Db, domain: string): EmailKeyRow | undefined =>
  keysOfDomain(db, domain).findLast(({ retired_at }) => retired_at === null)

export const selectorOf = ({ number }: Pick<EmailKeyRow, 'number'>): string => `panel${number}`

export const unsealed = ({ unseal }: Pick<Runtime, 'unseal'>, { private_key }: EmailKeyRow): string =>
  unseal(purpose, private_key)
