import { eq } from 'drizzle-orm'
import { invalid, Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/tokens.ts'
import { MAX_TOKENS_PER_ACCOUNT } from '../../contract/tokens.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import { canonicalRange } from '../../runtime/operations/address.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { day } from '../../shared/time.ts'
import { hashSecret, newSecret, prefixOf } from './secret.ts'
import { accountTokens, adminTokens, countOf, listTokens as list, ownToken, toToken } from './store.ts'
import { type TokenRow, tokens } from './tables.ts'

interface Choices {
  name: string
  scopes: string[]
  allowed_ips?: string[]
  expires_at?: number
  expires_in?: '30d' | '90d' | '1y' | 'never'
}

const lifetimes = { '30d': 30 * day, '90d': 90 * day, '1y': 365 * day }

const listTokens: Handler<typeof declared.listTokens> = {
  handle: (ctx, { query }) => list(ctx, adminTokens(ctx), query),
}

const createToken: Handler<typeof declared.createToken> = {
  handle(ctx, { body }) {
    const root = isRoot(ctx.actor)
    const principal_id = root ? getSetting(ctx.db, 'root_id')! : ctx.actor.id
    return create(ctx, body, {
      kind: 'admin',
      principal_type: root ? 'root' : 'reseller',
      principal_id,
      account_id: null,
    })
  },
}

const showToken: Handler<typeof declared.showToken> = {
  handle: (ctx) => toToken(ctx, ctx.found.token),
}

const revokeToken: Handler<typeof declared.revokeToken> = {
  handle: (ctx) => revoke(ctx, ctx.found.token),
}

const listTokensForAccount: Handler<typeof declared.listTokensForAccount> = {
  handle: (ctx, { query }) => list(ctx, accountTokens(ctx.found.account.id), query),
}

const createTokenForAccount: Handler<typeof declared.createTokenForAccount> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    ctx.note({ account })
    const made = create(ctx, body, {
      kind: 'account',
      principal_type: 'account',
      principal_id: account.id,
      account_id: account.id,
    })
    return made
  },
}

const showTokenForAccount: Handler<typeof declared.showTokenForAccount> = {
  handle: (ctx) => toToken(ctx, ctx.found.token),
}

const revokeTokenForAccount: Handler<typeof declared.revokeTokenForAccount> = {
  handle(ctx) {
    ctx.note({ account: ctx.found.account })
    return revoke(ctx, ctx.found.token)
  },
}

const ofNoClient = {
  client_id: null,
  client_name: null,
  client_host: null,
  resource: null,
  access_expires_at: null,
  refresh_hash: null,
} as const

function create(
  ctx: Context,
  choices: Choices,
  principal: Pick<TokenRow, 'kind' | 'principal_type' | 'principal_id' | 'account_id'>,
) {
  refuseBeyondLimit(ctx, principal)
  const secret = newSecret()
  const row: TokenRow = {
    id: ctx.id(),
    ...principal,
    name: choices.name,
    prefix: prefixOf(secret),
    hash: hashSecret(secret),
    scopes: scopesOf(choices.scopes),
    allowed_ips: (choices.allowed_ips ?? []).map(range),
    created_at: ctx.now,
    expires_at: expiry(ctx, choices),
    last_used_at: null,
    last_used_ip: null,
    ...ofNoClient,
  }
  ctx.db.insert(tokens).values(row).run()
  ctx.note({
    object_id: row.id,
    after: { name: row.name, scopes: row.scopes, allowed_ips: row.allowed_ips, expires_at: row.expires_at },
  })
  return { secret, token: toToken(ctx, row) }
}

type Principal = Pick<TokenRow, 'kind' | 'principal_type' | 'principal_id'>

function refuseBeyondLimit({ db }: Context, { kind, principal_type, principal_id }: Principal): void {
  if (principal_type === 'root' || countOf(db, kind, principal_id) < MAX_TOKENS_PER_ACCOUNT) return
  throw new Problem('limit-reached', `There are ${MAX_TOKENS_PER_ACCOUNT} tokens already; revoke one first.`)
}

function scopesOf(scopes: string[]): string[] {
  const unscoped = scopes.filter((scope) => !scope.includes(':'))
  if (unscoped.length > 0 && scopes.length > 1)
    throw invalid('scopes', `${unscoped[0]} cannot be combined with other scopes`)
  return [...new Set(scopes)]
}

function range(text: string): string {
  const canonical = canonicalRange(text)
  if (!canonical) throw invalid('allowed_ips', `${text} is neither an address nor a CIDR range`)
  return canonical
}

function expiry(ctx: Context, { expires_at, expires_in }: Choices): number | null {
  if (expires_at !== undefined && expires_in !== undefined)
    throw invalid('expires_in', 'cannot be combined with expires_at; give one of them')
  if (expires_at !== undefined && expires_at <= ctx.now) throw invalid('expires_at', 'must be in the future')
  if (expires_at !== undefined) return expires_at
  return expires_in === undefined || expires_in === 'never' ? null : ctx.now + lifetimes[expires_in]
}

function revoke(ctx: Context, token: TokenRow): undefined {
  ctx.db.delete(tokens).where(eq(tokens.id, token.id)).run()
  ctx.note({ object_id: token.id, before: { name: token.name, scopes: token.scopes } })
  return undefined
}

const getToken: Handler<typeof declared.getToken> = {
  handle(ctx) {
    const row = ownToken(ctx)
    const { kind, account_id } = row
    const more = present({ kind, principal_name: ctx.actor.name, account_id, server: ctx.runtime.hostname })
    return Object.assign(toToken(ctx, row), more)
  },
}

export const tokenOperations = {
  listTokens,
  createToken,
  showToken,
  revokeToken,
  listTokensForAccount,
  createTokenForAccount,
  showTokenForAccount,
  revokeTokenForAccount,
  getToken,
}
