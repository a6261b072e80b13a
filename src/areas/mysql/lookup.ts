import { and, eq } from 'drizzle-orm'
import { within } from '../accounts/lookup.ts'
import { accounts } from '../accounts/tables.ts'
import { matching } from '../lookup/match.ts'
import type { Source } from '../lookup/source.ts'
import { databases, users } from './tables.ts'

/** Names are found as they are written: none has capitals. */
const byName =
  (table: typeof databases | typeof users): Source =>
  (ctx, wanted, scope) =>
    ctx.db
      .select({ id: table.id, name: table.name, account_id: accounts.id, username: accounts.username })
      .from(table)
      .innerJoin(accounts, eq(accounts.id, table.account_id))
      .where(and(matching(table.name, wanted), within(ctx, scope)))
      .orderBy(table.name)
      .limit(scope.limit)
      .all()

export const mysqlLookup = { database: byName(databases), database_user: byName(users) }
