import { and, asc, count, desc, eq, getTableColumns, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type * as declared from '../../contract/domains.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { Db, Store } from '../../store/open.ts'
import { offsetOf } from '../../store/page.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { lowerAscii } from '../accounts/operations/names.ts'
import { accounts } from '../accounts/tables.ts'
import { toDomain } from './store.ts'
import { type DomainRow, domains } from './tables.ts'
import { verifiedIs } from './verification/store.ts'

type DomainQuery = Input<typeof declared.listAllDomains>['query']
/** What determines the matches and their count. */
type DomainFilter = Pick<DomainQuery, 'kind' | 'status' | 'verified' | 'account_id' | 'owner_id' | 'q'> & {
  readonly owner?: string
}

interface ListedDomain extends DomainRow {
  readonly username: string
  readonly owner_id: string
}

const ofAccount = (column: 'username' | 'owner_id') =>
  sql<string>`(SELECT ${accounts[column]} FROM ${accounts} WHERE ${accounts.id} = ${domains.account_id})`

const selection = { ...getTableColumns(domains), username: ofAccount('username'), owner_id: ofAccount('owner_id') }

export const listAllDomains: Handler<typeof declared.listAllDomains> = {
  handle(ctx, { query }) {
    if (query.after !== undefined && query.page > 1) throw invalid('after', 'cannot be combined with page')
    const filter = filterOf(ctx, query)
    const rows = rowsOf(ctx.db, filter, query)
    return {
      items: rows.map((row) => ({ ...toDomain(ctx, row), username: row.username, owner_id: row.owner_id })),
      total: totalOf(ctx.store, JSON.stringify(filter))!,
    }
  },
}

const filterOf = (
  { actor }: Context,
  { kind, status, verified, account_id, owner_id, q }: DomainQuery,
): DomainFilter => ({
  ...(kind ? { kind } : {}),
  ...(status ? { status } : {}),
  ...(verified === undefined ? {} : { verified }),
  ...(account_id ? { account_id } : {}),
  ...(owner_id ? { owner_id } : {}),
  ...(q ? { q: lowerAscii(q) } : {}),
  ...(isRoot(actor) ? {} : { owner: actor.id }),
})

function rowsOf(db: Db, filter: DomainFilter, query: DomainQuery): ListedDomain[] {
  const column = query.sort === 'name' ? domains.name : domains.id
  const isPlain = query.sort === undefined && query.after === undefined
  const first = filter.q && isPlain ? [sql`${domains.name} = ${filter.q} DESC`] : []
  return db
    .select(selection)
    .from(domains)
    .where(and(...conditionsOf(db, filter), behind(column, query)))
    .orderBy(...first, query.order === 'desc' ? desc(column) : asc(column))
    .limit(query.per_page)
    .offset(offsetOf(query))
    .all()
}

const behind = (column: typeof domains.name | typeof domains.id, { after, order }: DomainQuery): SQL | undefined => {
  if (after === undefined) return undefined
  return order === 'desc' ? lt(column, after) : gt(column, after)
}

const conditionsOf = (
  db: Db,
  { kind, status, verified, account_id, owner_id, q, owner }: DomainFilter,
): (SQL | undefined)[] => [
  kind && eq(domains.kind, kind),
  status && eq(domains.status, status),
  verified === undefined ? undefined : verifiedIs(verified),
  account_id ? eq(domains.account_id, account_id) : undefined,
  owner_id ? isOwned(db, owner_id) : undefined,
  owner ? isOwned(db, owner) : undefined,
  q ? contains(q) : undefined,
]

const isOwned = (db: Db, owner: string): SQL =>
  inArray(domains.account_id, db.select({ id: accounts.id }).from(accounts).where(eq(accounts.owner_id, owner)))

/** No name contains NUL, and `instr` stops at the first one. */
const contains = (q: string): SQL => (q.includes('\0') ? sql`0` : sql`instr(${domains.name}, ${q}) > 0`)

/** Counted once per state of the store. */
const totalOf = versionedCache((store: Store, key: string) => {
  const where = and(...conditionsOf(store.db, JSON.parse(key) as DomainFilter))
  return store.db.select({ total: count() }).from(domains).where(where).get()!.total
})
