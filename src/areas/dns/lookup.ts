import { and, eq } from 'drizzle-orm'
import { within } from '../accounts/lookup.ts'
import { lowerAscii, toAscii } from '../accounts/names.ts'
import { accounts } from '../accounts/tables.ts'
import { matching } from '../lookup/match.ts'
import type { Source, Wanted } from '../lookup/source.ts'
import { zones } from './tables.ts'

const spell = (wanted: Wanted): Wanted =>
  'name' in wanted ? { name: toAscii(wanted.name) ?? wanted.name } : { prefix: lowerAscii(wanted.prefix) }

export const zonesByName: Source = (ctx, wanted, scope) =>
  ctx.db
    .select({ id: zones.id, name: zones.name, account_id: accounts.id, username: accounts.username })
    .from(zones)
    .innerJoin(accounts, eq(accounts.id, zones.account_id))
    .where(and(matching(zones.name, spell(wanted)), within(ctx, scope)))
    .orderBy(zones.name)
    .limit(scope.limit)
    .all()
