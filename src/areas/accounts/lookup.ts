import { and, eq, type SQL } from 'drizzle-orm'
import { isRoot } from '../../runtime/actor.ts'
import type { Context } from '../../runtime/context.ts'
import { matching } from '../lookup/match.ts'
import type { Scope, Source, Wanted } from '../lookup/source.ts'
import { lowerAscii, toAscii } from './names.ts'
import { accounts } from './tables.ts'

/** Which accounts an actor sees by name: those it owns, or the one that is asked about. */
function within({ actor }: Context, { account }: Scope): SQL | undefined {
  if (account !== undefined) return eq(accounts.id, account)
  return isRoot(actor) ? undefined : eq(accounts.owner_id, actor.id)
}

const by =
  (column: typeof accounts.username | typeof accounts.main_domain, spelled: (name: string) => string): Source =>
  (ctx, wanted, scope) =>
    ctx.db
      .select({ id: accounts.id, name: column, account_id: accounts.id, username: accounts.username })
      .from(accounts)
      .where(and(matching(column, spell(wanted, spelled)), within(ctx, scope)))
      .orderBy(column)
      .limit(scope.limit)
      .all()

const spell = (wanted: Wanted, spelled: (name: string) => string): Wanted =>
  'name' in wanted ? { name: spelled(wanted.name) } : { prefix: lowerAscii(wanted.prefix) }

export const accountsByName = by(accounts.username, lowerAscii)
export const mainDomainsByName = by(accounts.main_domain, (name) => toAscii(name) ?? name)
