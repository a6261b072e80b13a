import { and, eq, type SQL } from 'drizzle-orm'
import { isRoot } from '../../runtime/actor.ts'
import type { Context } from '../../runtime/context.ts'
import { matching } from '../lookup/match.ts'
import type { Scope, Source, Wanted } from '../lookup/source.ts'
import { lowerAscii } from './names.ts'
import { accounts } from './tables.ts'

/** Which accounts an actor sees by name: those it owns, or the one that is asked about. */
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
