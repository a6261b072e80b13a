import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { notFound } from '../../contract/problem.ts'
import type { Token } from '../../contract/tokens.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { type Paging, page } from '../../store/page.ts'
import { prepared } from '../../store/prepared.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { tokenUses } from './last-use.ts'
import { type TokenRow, tokens } from './tables.ts'

/** Admin tokens the actor manages: root all of them, a reseller its own. */
export const adminTokens = (ctx: Context): SQL | undefined =>
  and(eq(tokens.kind, 'admin'), isRoot(ctx.actor) ? undefined : eq(tokens.principal_id, ctx.actor.id))

export const accountTokens = (accountId: string): SQL | undefined =>
  and(eq(tokens.kind, 'account'), eq(tokens.account_id, accountId))

/** How many tokens of a kind someone has. */
export const countOf = (db: Db, kind: TokenRow['kind'], principal: string): number =>
  db
    .select({ total: count() })
    .from(tokens)
    .where(and(eq(tokens.kind, kind), eq(tokens.principal_id, principal)))
    .get()!.total

const queries = prepared((db) => ({
  byId: db
    .select()
    .from(tokens)
    .where(eq(tokens.id, sql.placeholder('id')))
    .prepare(),
}))

/** Whether a token is neither revoked nor expired. */
export function tokenLives({ store, clock }: Runtime, id: string): boolean {
  const token = queries(store.db).byId.get({ id })
  return token !== undefined && (token.expires_at === null || token.expires_at > clock.now())
}

const known = versionedCache((store, id) => queries(store.db).byId.get({ id }))

/** The token of the current read, or 404 `not-found` if it came without one. */
export function ownToken({ actor, store }: Context): TokenRow {
  const id = actor.token?.id
  const token = id === undefined ? undefined : known(store, id)
  if (!token) throw notFound('token')
  return token
}

/** The token, or 404 `not-found` if it is not among those. */
export function findToken(ctx: Context, id: string, among: SQL | undefined): TokenRow {
  const token = ctx.db
    .select()
    .from(tokens)
    .where(and(eq(tokens.id, id), among))
    .get()
  if (!token) throw notFound('token')
  return token
}

export function listTokens(ctx: Context, among: SQL | undefined, query: Paging) {
  const rows = ctx.db.select().from(tokens).$dynamic()
  const { items, total } = page(ctx.db, { rows, table: tokens, id: tokens.id, where: among }, query)
  return { items: items.map((row) => toToken(ctx, row)), total }
}

/** Revokes every token of a principal: the account's, and those it created as a reseller. */
export function revokeAll(ctx: Context, principalId: string): void {
  ctx.db.delete(tokens).where(eq(tokens.principal_id, principalId)).run()
}

/** Revokes an account's tokens as a reseller; its own stay. */
export function revokeResellerTokens(db: Db, accountId: string): void {
  db.delete(tokens)
    .where(and(eq(tokens.principal_id, accountId), eq(tokens.principal_type, 'reseller')))
    .run()
}

const clientOf = ({ client_id: id, client_name: name, client_host: host }: TokenRow) =>
  id !== null && name !== null && host !== null ? { id, name, host } : null

export function toToken(ctx: Context, row: TokenRow): z.infer<typeof Token> {
  const used = tokenUses(ctx.runtime).get(row.id)
  return present({
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    principal_id: row.principal_id,
    principal_type: row.principal_type,
    scopes: row.scopes,
    allowed_ips: row.allowed_ips,
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: used?.at ?? row.last_used_at,
    last_used_ip: used?.address ?? row.last_used_ip,
    client: clientOf(row),
  })
}
