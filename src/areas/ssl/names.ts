import { inArray } from 'drizzle-orm'
import { invalid } from '../../contract/problem.ts'
import type { Reads } from '../../runtime/operations/context.ts'
import { parentsOf } from '../accounts/operations/names.ts'
import { asciiName, namesOf } from '../domains/names.ts'
import { type DomainRow, domains } from '../domains/tables.ts'
import { covers } from './certificate.ts'

/** The names to order a certificate for, by default those served; 400 `fields.names`. */
export function namesToSecure(
  ctx: Reads,
  domain: DomainRow,
  requested: readonly string[] | undefined,
): readonly string[] {
  if (requested === undefined) return namesOf(domain)
  const names = [...new Set(requested.map((name, at) => ownName(ctx, domain, name, at + 1)))]
  if (!covers(names, domain.name)) throw invalid('names', `must include ${domain.name}`)
  return names
}

function ownName(ctx: Reads, { account_id }: DomainRow, requested: string, item: number): string {
  const name = asciiName(requested)
  if (name === undefined) throw invalid('names', `item ${item} is not a valid domain name`)
  const bare = name.replace(/^\*\./, '')
  if (holderOf(ctx, [name, bare, ...parentsOf(bare)]) !== account_id)
    throw invalid('names', `item ${item} is not a name of the account`)
  return name
}

/** The account that owns the first of these names that is taken. */
function holderOf({ db }: Reads, names: readonly string[]): string | undefined {
  const covered = db
    .select()
    .from(domains)
    .where(inArray(domains.name, [...names]))
    .all()
  const nearest = names.find((name) => covered.some((one) => one.name === name))
  return covered.find((one) => one.name === nearest)?.account_id
}
