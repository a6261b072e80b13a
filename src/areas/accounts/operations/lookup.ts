import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { matching } from '../../lookup/match.ts'
import type { LookupQuery, LookupSource, Scope } from '../../lookup/source.ts'
import { accounts } from '../tables.ts'
import { lowerAscii } from './names.ts'

/** The accounts an actor can look up: those it owns, or the one asked about. */
export function within({ actor }: Context, { account }: Scope): SQL | undefined {
  if (account !== undefined) return eq(accounts.id, account)
  return isRoot(actor) ? undefined : eq(accounts.owner_id, actor.id)
}

const spell = (params: LookupQuery): LookupQuery =>
  'name' in params ? { name: lowerAscii(params.name) } : { prefix: lowerAscii(params.prefix) }

export const accountsByName: LookupSource = (ctx, params, scope) =>
  ctx.db
    .select({ id: accounts.id, name: accounts.username, account_id: accounts.id, username: accounts.username })
    .from(accounts)
    .where(and(matching(accounts.username, spell(params)), within(ctx, scope)))
    .orderBy(accounts.username)
    .limit(scope.limit)
    .all()

type NamedTable = SQLiteTable & Readonly<Record<'id' | 'name' | 'account_id', SQLiteColumn>>

/** Finds account objects by name, normalized as in their table. */
export const ownedByName =
  (table: NamedTable, spelled: (params: LookupQuery) => LookupQuery = (params) => params): LookupSource =>
  (ctx, params, scope) =>
    ctx.db
      .select({
        id: sql<string>`${table.id}`,
        name: sql<string>`${table.name}`,
        account_id: accounts.id,
        username: accounts.username,
      })
      .from(table as SQLiteTable)
      .innerJoin(accounts, eq(accounts.id, table.account_id))
      .where(and(matching(table.name, spelled(params)), within(ctx, scope)))
      .orderBy(table.name)
      .limit(scope.limit)
      .all()
