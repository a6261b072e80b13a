import { eq, sql } from 'drizzle-orm'
import type { Context, Writes } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { insertInto, update } from '../../../store/rows.ts'
import { accountById } from '../../accounts/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { type EmailDomainRow, emailDomains } from '../tables.ts'

const insert = insertInto(emailDomains)
const write = update(emailDomains, 'domain_id = ?')

export const setEmailDomain = ({ store }: Writes, id: string, values: Partial<EmailDomainRow>): void =>
  void write(store.sqlite, values, id)

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(emailDomains)
    .where(eq(emailDomains.domain_id, sql.placeholder('id')))
    .prepare(),
  ofAccount: db
    .select()
    .from(emailDomains)
    .where(eq(emailDomains.account_id, sql.placeholder('account')))
    .prepare(),
}))

/** A domain's mail; wildcards have none. */
export const emailDomainById = (db: Db, id: string): EmailDomainRow | undefined => queries(db).byId.get({ id })
export const emailDomainsOf = (db: Db, account: string): EmailDomainRow[] => queries(db).ofAccount.all({ account })

const isWildcard = ({ name }: Pick<DomainRow, 'name'>): boolean => name.startsWith('*.')

/** A domain's initial mail settings: the main one's as requested for the account; a subdomain's are not signed. */
export function beginMail(ctx: Context, domain: DomainRow): void {
  if (isWildcard(domain)) return
  const routing = domain.kind === 'main' ? accountById(ctx.db, domain.account_id)!.mail_routing : 'auto'
  insert(ctx.store.sqlite, {
    domain_id: domain.id,
    account_id: domain.account_id,
    routing,
    told_routing: 'remote',
    catch_all: null,
    dkim: domain.kind !== 'sub',
    checked: null,
    differs_since: null,
    created_at: ctx.now,
  })
}
