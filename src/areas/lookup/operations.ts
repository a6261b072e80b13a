import type * as declared from '../../contract/lookup.ts'
import { type LookupKind, lookupKindNames, lookupKinds } from '../../contract/lookup.ts'
import { invalid } from '../../contract/problem.ts'
import { type Actor, holds } from '../../runtime/operations/actor.ts'
import { inScope } from '../../runtime/operations/authorize.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { LookupQuery, LookupResult, LookupSource } from './source.ts'

interface LookupTerms {
  readonly name?: string
  readonly prefix?: string
  readonly kind?: string
}

const lookup: Handler<typeof declared.lookup> = {
  handle: (ctx, { query }) => answer(ctx, query, (kind) => ofServer(ctx.actor, kind)),
}

const lookupForAccount: Handler<typeof declared.lookupForAccount> = {
  handle: (ctx, { params, query }) => answer(ctx, query, (kind) => ofAccount(ctx.actor, kind), params.id),
}

/** Looking up accounts and packages needs no privilege: other operations take their names, too. */
const isOpen = (kind: LookupKind): boolean => kind === 'account' || kind === 'package'

/** Of a token's areas, `packages` has the packages and `accounts` everything else. */
function ofServer(actor: Actor, kind: LookupKind): boolean {
  if (!isOpen(kind) && !holds(actor, 'list-accts')) return false
  return actor.token === undefined || inScope(actor.token, kind === 'package' ? 'packages' : 'accounts', true)
}

function ofAccount({ token }: Actor, kind: LookupKind): boolean {
  const area = lookupKinds[kind]
  if (area === 'none') return false
  if (area === 'any' || token?.kind !== 'account') return true
  return token.scopes.some((scope) => ['full-access', 'read-only', `${area}:read`, `${area}:write`].includes(scope))
}

const LIMITS = { name: 100, prefix: 20 }

function answer(ctx: Context, query: LookupTerms, may: (kind: LookupKind) => boolean, account?: string) {
  const requested = queryIn(query)
  const limit = 'name' in requested ? LIMITS.name : LIMITS.prefix
  const items: (LookupResult & { kind: LookupKind })[] = []
  for (const kind of kindsIn(query.kind).filter(may)) {
    const found = sourceOf(ctx, kind)?.(ctx, requested, { account, limit: limit - items.length }) ?? []
    items.push(...found.map((object) => ({ kind, ...object })))
    if (items.length >= limit) break
  }
  return { items }
}

function queryIn({ name, prefix }: LookupTerms): LookupQuery {
  if (name !== undefined && prefix !== undefined) throw invalid('prefix', 'cannot be combined with name')
  if (name !== undefined) return { name }
  if (prefix !== undefined) return { prefix }
  throw invalid('name', 'is required, unless prefix is given')
}

function kindsIn(text: string | undefined): readonly LookupKind[] {
  if (text === undefined) return lookupKindNames
  const kinds = text.split(',').map((kind) => kind.trim())
  const unknown = kinds.find((kind) => !Object.hasOwn(lookupKinds, kind))
  if (unknown !== undefined) throw invalid('kind', `“${unknown}” is not one of ${lookupKindNames.join(', ')}`)
  return [...new Set(kinds as LookupKind[])]
}

const sourceOf = ({ runtime }: Context, kind: LookupKind): LookupSource | undefined =>
  runtime.areas.find((area) => area.lookup?.[kind])?.lookup?.[kind]

export const lookupOperations = { lookup, lookupForAccount }
