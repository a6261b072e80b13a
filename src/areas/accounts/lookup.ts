import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { isRoot } from '../../runtime/actor.ts'
import type { Context } from '../../runtime/context.ts'
import { matching } from '../lookup/match.ts'
import type { Scope, Source, Wanted } from '../lookup/source.ts'
import { lowerAscii } from './names.ts'
import { accounts } from './tables.ts'

/** The accounts an actor can look up: those it owns, or the one asked about. */
export function within({ actor }: Context, { account }: Scope): SQL | undefined {
  if (account !== undefined) return eq(accounts.id, account)
  return isRoot(actor) ? undefined : eq(accounts.owner_id, actor.id)
}

const spell = (wanted: Wanted): Wanted =>
  'name' in wanted ? { name: lowerAscii(wanted.name) } : { prefix: lowerAscii(wanted.prefix) }

export const accountsByName: Source = (ctx, wanted, scope) =>
  ctx.db
    .select({ id: accounts.id, name: accounts.username, account_id: accounts.id, username: accounts.username })
    .from(accounts)
    .where(and(matching(accounts.username, spell(wanted)), within(ctx, scope)))
    .orderBy(accounts.username)
    .limit(scope.limit)
    .all()

type Named = SQLiteTable & Readonly<Record<'id' | 'name' | 'account_id', SQLiteColumn>>

/** Finds account objects by name, normalized as in their table. */
export const ownedByName =
  (table: Named, spelled: (wanted: Wanted) => Wanted = (wanted) => wanted): Source =>
  (ctx, wanted, scope) =>
    ctx.db
      .select({
        id: sql<string>`${table.id}`,
        name: sql<string>`${table.name}`,
        account_id: accounts.id,
        username: accounts.username,
      })
      .from(table as SQLiteTable)
      .innerJoin(accounts, eq(accounts.id, table.account_id))
      .where(and(matching(table.name, spelled(wanted)), within(ctx, scope)))
      .orderBy(table.name)
      .limit(scope.limit)
      .all()
