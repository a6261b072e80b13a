import { and, eq, gt, gte, lt, sql } from 'drizzle-orm'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { pastedDomain } from '../../shared/pasted-name.ts'
import { MAX_DOMAIN_LENGTH, MAX_WILDCARD_LENGTH } from '../../shared/patterns.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import type { NameRequest } from '../accounts/objects/part.ts'
import { nameProblem, parentsOf, toAscii } from '../accounts/operations/names.ts'
import { accountById } from '../accounts/store.ts'
import { type DomainRow, domains } from './tables.ts'
import { claimant } from './verification/store.ts'

/** `shop.alice.example` as `example.alice.shop.`. */
export const reversedOf = (name: string): string => `${name.split('.').reverse().join('.')}.`

/** The names that are served. */
export const namesOf = ({ name, kind }: Pick<DomainRow, 'name' | 'kind'>): string[] =>
  kind === 'sub' ? [name] : [name, `www.${name}`]

/** The name of its files on the host. */
export const fileOf = (name: string): string => name.replace(/^\*\./, '_wildcard.')

export const defaultRoot = (name: string): string => `sites/${fileOf(name)}/public`

interface NewName {
  readonly name: string
  readonly kind: DomainRow['kind']
  /** The account that wants it; undefined if it is to be created. */
  readonly account?: string | undefined
  /** Domains to ignore, since they make room for it. */
  readonly instead?: readonly string[]
}

type UsedName = Pick<DomainRow, 'id' | 'account_id' | 'name' | 'kind'>

const used = { id: domains.id, account_id: domains.account_id, name: domains.name, kind: domains.kind }

const queries = prepared((db: Db) => ({
  named: db
    .select(used)
    .from(domains)
    .where(sql`${domains.name} IN (SELECT value FROM json_each(${sql.placeholder('names')}))`)
    .prepare(),
  below: db
    .select({ id: domains.id })
    .from(domains)
    .where(
      and(
        gt(domains.reversed, sql.placeholder('from')),
        lt(domains.reversed, sql.placeholder('to')),
        sql`${domains.account_id} IS NOT ${sql.placeholder('account')}`,
      ),
    )
    .limit(1)
    .prepare(),
}))

/** Why a valid name cannot be used, undefined if it is free. */
export function takenProblem(ctx: Context, candidate: NewName): string | undefined {
  const { name, account } = candidate
  const existing = usedNear(ctx, candidate)
  if (isClaimed(ctx, candidate)) return 'is taken; choose another'
  if (existing.some((other) => other.name === name)) return 'is taken; choose another'
  const above = parentsOf(name).find((parent) =>
    existing.some((other) => other.name === parent && other.account_id !== account),
  )
  if (above) return `is a subdomain of ${above}, which belongs to another account`
  const sharing = existing.find((other) => shareNames(candidate, other))
  if (sharing) return servedBy(candidate, sharing)
  if (isRoot(ctx.actor) || !isAboveForeign(ctx, candidate)) return undefined
  return 'is above a domain of another account; only root can add it'
}

/** A name is reserved with all names below it: any of them would keep the claimant from adding it. */
const isClaimed = ({ db, now }: Context, { name, account }: NewName): boolean =>
  [name, ...parentsOf(name)].some((one) => {
    const reservedFor = claimant(db, one, now)
    return reservedFor !== undefined && reservedFor !== account
  })

/** Domains that may conflict: of the same name, above it, and with or without a leading `www.`. */
function usedNear({ db }: Context, { name, instead = [] }: NewName): UsedName[] {
  const names = [name, ...parentsOf(name), `www.${name}`, name.replace(/^www\./, '')]
  const found = queries(db).named.all({ names: JSON.stringify(names) })
  return found.filter(({ id }) => !instead.includes(id))
}

/** Which domain serves a name already, and how the other can be made the site. */
function servedBy({ name, account }: NewName, other: UsedName): string {
  const by = `is served by ${other.name} already`
  if (other.account_id !== account || name.startsWith('www.')) return by
  return `${by}; to make ${name} the site, which serves ${other.name} too: panel domains delete ${other.name}, then panel domains create ${name}`
}

const shareNames = (one: Pick<DomainRow, 'name' | 'kind'>, other: Pick<DomainRow, 'name' | 'kind'>): boolean =>
  namesOf(one).some((name) => namesOf(other).includes(name))

function isAboveForeign({ db }: Context, { name, account }: NewName): boolean {
  const bounds = belowBounds(name.replace(/^\*\./, ''))
  return queries(db).below.get({ ...bounds, account: account ?? null }) !== undefined
}

/** Between which reversed names all names below one are. */
function belowBounds(name: string): { from: string; to: string } {
  const from = reversedOf(name)
  return { from, to: `${from}\u{10ffff}` }
}

/** Whether a name is a domain of an account that a reseller does not own, or below one. */
export const isWithinForeign = ({ db }: Pick<Context, 'db'>, name: string, reseller: string): boolean =>
  queries(db)
    .named.all({ names: JSON.stringify([name, ...parentsOf(name)]) })
    .some(({ account_id }) => account_id !== reseller && accountById(db, account_id)?.owner_id !== reseller)

/** The domains with a name or names below it, the oldest first. */
export function domainsWithin({ db }: Pick<Context, 'db'>, name: string): DomainRow[] {
  const { from, to } = belowBounds(name)
  const isWithin = and(gte(domains.reversed, from), lt(domains.reversed, to))
  return db.select().from(domains).where(isWithin).orderBy(domains.id).all()
}

/** Why an account cannot have a main domain, considering its subdomains' new names, too. */
export function mainDomainProblem(ctx: Context, { name, account }: NameRequest): string | undefined {
  if (account === undefined) return takenProblem(ctx, { name, kind: 'main' })
  const moved = movedWith(ctx, account, name)
  const instead = moved.map(({ id }) => id)
  for (const one of moved) {
    const problem = takenProblem(ctx, { ...one, account, instead })
    if (problem) return one.kind === 'main' ? problem : `would make the subdomain ${one.name}, which ${problem}`
    if (one.name.length > maxLengthOf(one.name)) return `would make the subdomain ${one.name}, which is too long`
  }
  return undefined
}

const maxLengthOf = (name: string): number => (name.startsWith('*.') ? MAX_WILDCARD_LENGTH : MAX_DOMAIN_LENGTH)

/** The main domain and its subdomains under their new names. */
export function movedWith({ db }: Pick<Context, 'db'>, account: string, name: string): DomainRow[] {
  const main = db
    .select()
    .from(domains)
    .where(and(eq(domains.account_id, account), eq(domains.kind, 'main')))
    .get()
  if (!main) return []
  const subs = db
    .select()
    .from(domains)
    .where(and(eq(domains.parent_id, main.id), eq(domains.kind, 'sub')))
    .orderBy(domains.id)
    .all()
  const ending = (of: string) => `${of.slice(0, -main.name.length)}${name}`
  return [main, ...subs].map((domain) => ({
    ...domain,
    name: ending(domain.name),
    reversed: reversedOf(ending(domain.name)),
  }))
}

/** The A-label form of a name or wildcard. */
export function asciiName(name: string): string | undefined {
  const pasted = pastedDomain(name)
  if (!pasted.startsWith('*.')) return toAscii(pasted)
  const base = toAscii(pasted.slice(2))
  return base && `*.${base}`
}

/** Why a domain name is invalid. */
export function domainNameProblem(ctx: Context, name: string): string | undefined {
  const pasted = pastedDomain(name)
  if (!pasted.startsWith('*.')) return nameProblem(ctx, pasted)
  const ascii = asciiName(name)
  if (ascii && ascii.length > MAX_WILDCARD_LENGTH) return `must have at most ${MAX_WILDCARD_LENGTH} characters`
  return nameProblem(ctx, pasted.slice(2))
}
