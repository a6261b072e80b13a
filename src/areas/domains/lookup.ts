import { and, eq } from 'drizzle-orm'
import { within } from '../accounts/lookup.ts'
import { lowerAscii } from '../accounts/names.ts'
import { accounts } from '../accounts/tables.ts'
import { matching } from '../lookup/match.ts'
import type { Source, Wanted } from '../lookup/source.ts'
import { asciiName } from './names.ts'
import { domains } from './tables.ts'

const spell = (wanted: Wanted): Wanted =>
  'name' in wanted ? { name: asciiName(wanted.name) ?? wanted.name } : { prefix: lowerAscii(wanted.prefix) }

export const domainsByName: Source = (ctx, wanted, scope) =>
  ctx.db
    .select({ id: domains.id, name: domains.name, account_id: accounts.id, username: accounts.username })
    .from(domains)
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .where(and(matching(domains.name, spell(wanted)), within(ctx, scope)))
    .orderBy(domains.name)
    .limit(scope.limit)
    .all()
