import { and, eq, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { within } from '../accounts/operations/lookup.ts'
import { lowerAscii, toAscii } from '../accounts/operations/names.ts'
import { accounts } from '../accounts/tables.ts'
import { domains } from '../domains/tables.ts'
import { matching } from '../lookup/match.ts'
import type { LookupQuery, LookupSource } from '../lookup/source.ts'
import { addressIn } from './address.ts'
import { forwarders, mailboxes } from './tables.ts'

/** Splits a wanted address or prefix, which may end before or after the @. */
function spell(query: LookupQuery): { local: LookupQuery; domain?: LookupQuery } {
  const text = lowerAscii('name' in query ? query.name : query.prefix)
  const at = text.lastIndexOf('@')
  if (at < 0) return { local: 'name' in query ? { name: '' } : { prefix: text } }
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  return { local: { name: local }, domain: 'name' in query ? { name: toAscii(domain) ?? '' } : { prefix: domain } }
}

type Addresses = SQLiteTable & Record<'id' | 'account_id' | 'domain_id' | 'local', SQLiteColumn>

/** Finds objects by their name at a domain. */
export const addressed =
  (table: Addresses): LookupSource =>
  (ctx, query, scope) => {
    const { local, domain } = spell(query)
    const where = and(matching(table.local, local), domain && matching(domains.name, domain), within(ctx, scope))
    return ctx.db
      .select({
        id: sql<string>`${table.id}`,
        name: addressIn(table).mapWith(String),
        account_id: accounts.id,
        username: accounts.username,
      })
      .from(table as SQLiteTable)
      .innerJoin(domains, eq(domains.id, table.domain_id))
      .innerJoin(accounts, eq(accounts.id, table.account_id))
      .where(where)
      .orderBy(table.local, domains.name)
      .limit(scope.limit)
      .all()
  }

export const mailboxesByName = addressed(mailboxes)
export const forwardersByName = addressed(forwarders)
