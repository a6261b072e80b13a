import type { accountStatuses } from '../../../contract/accounts.ts'
import type { Search } from '../../../store/page.ts'

type Sort = 'username' | 'created_at' | 'disk_used_mb' | 'bw_used_month_mb'

/** The query of a list of accounts. */
export interface ListQuery extends Search {
  readonly status?: (typeof accountStatuses)[number] | undefined
  readonly package_id?: string | undefined
  readonly owner_id?: string | undefined
  readonly node?: string | undefined
  readonly over_quota?: boolean | undefined
  readonly domain?: string | undefined
  readonly search?: string | undefined
  readonly sort?: Sort | undefined
  readonly after?: string | undefined
}

/** Its parameters: `owner` limits to the owner's accounts, `q`, `domain` and `search` are parts of names. */
export interface ListParams {
  readonly owner: string
  readonly q: string
  readonly status: string | undefined
  readonly package_id: string | undefined
  readonly owner_id: string | undefined
  readonly node: string | undefined
  readonly domain: string
  readonly search: string
  readonly after: string | undefined
}

/** Must match the index's expression exactly. */
const overQuota = 'disk_used_mb > disk_quota_mb'

const conditions = {
  status: 'status = @status',
  package: 'package_id = @package_id',
  owner: 'owner_id = @owner_id',
  node: 'node = @node',
  over: overQuota,
  within: `(${overQuota}) IS NOT 1`,
  domain: 'instr(main_domain, @domain)',
} as const
type ConditionName = keyof typeof conditions

const ownNames = ['username', 'main_domain', 'lower(contact_email)'].map((name) => `instr(${name}, @search)`)

/** What a query plan depends on; each is prepared once. */
export interface QueryShape {
  readonly owned: boolean
  readonly part: 'none' | 'letter' | 'longer'
  readonly filters: readonly ConditionName[]
  /** The areas' SQL for accounts with a name like `@search`. */
  readonly searched?: readonly string[] | undefined
  readonly sort: Sort | undefined
  readonly after: boolean
  readonly order: 'asc' | 'desc'
}

/** The subquery for the accounts, and an ORDER BY if it is needed. */
export type QueryParts = readonly [which: string, order: string]

const exact = 'SELECT id FROM accounts WHERE username = @q'
const ending = "ending >= @q AND ending < @q || '{'"

/** Searches the indexed suffixes of names; the exact name comes first. */
function named({ order, filters }: QueryShape): QueryParts {
  const matches = `SELECT id FROM account_name_ends WHERE ${ending} AND id IS NOT (${exact}) GROUP BY id ORDER BY id ${order}`
  const all = `SELECT id FROM (${exact} UNION ALL SELECT id FROM (${matches}))`
  const status = '(SELECT status FROM accounts WHERE id = match.id) = @status'
  return [filters.length > 0 ? `SELECT id FROM (${all}) AS match WHERE ${status}` : all, '']
}

/** A single letter matches so many names that the first page is found soon, and no name is that short. */
function filtered(shape: QueryShape): QueryParts {
  const where = conditionsOf(shape).join(' AND ') || '1'
  const column = columnOf(shape)
  const exactFirst = shape.part === 'longer' && isPlain(shape) ? 'username = @q DESC, ' : ''
  return [`SELECT id FROM accounts WHERE ${where}`, `ORDER BY ${exactFirst}${column} ${shape.order}${tieBreak(shape)}`]
}

/** In the order of their ids, accounts are in that of their creation. */
const columnOf = ({ sort = 'created_at' }: QueryShape): string => (sort === 'created_at' ? 'id' : sort)

const tieBreak = ({ sort, order }: QueryShape): string => (isUsage(sort) ? `, id ${order}` : '')

/** Many accounts use the same. */
export const isUsage = (sort: Sort | undefined): boolean => sort === 'disk_used_mb' || sort === 'bw_used_month_mb'

const isPlain = ({ sort, after }: QueryShape): boolean => sort === undefined && !after

const conditionsOf = ({ owned, part, filters, searched, sort, after, order }: QueryShape): string[] =>
  [
    owned && 'owner_id = @owner',
    // Forces the owner's index; the planner would prefer the status.
    ...filters.map((filter) => `${owned && filter === 'status' ? '+' : ''}${conditions[filter]}`),
    part === 'longer' && !owned && `id IN (SELECT id FROM account_name_ends WHERE ${ending})`,
    part !== 'none' && (part === 'letter' || owned) && 'instr(username, @q)',
    searched && `(${[...ownNames, ...searched.map((ids) => `id IN (${ids})`)].join(' OR ')})`,
    after && `${sort === 'username' ? 'username' : 'id'} ${order === 'asc' ? '>' : '<'} @after`,
  ].filter((condition) => typeof condition === 'string')

const onlyStatus = ({ filters }: QueryShape): boolean => filters.every((filter) => filter === 'status')

export const partsFor = (shape: QueryShape): QueryParts =>
  shape.part === 'longer' && !shape.owned && isPlain(shape) && onlyStatus(shape) && !shape.searched
    ? named(shape)
    : filtered(shape)

export const listParamsOf = (query: ListQuery, owner: string, lower: (text: string) => string): ListParams => ({
  owner,
  q: lower(query.q ?? ''),
  status: query.status,
  package_id: query.package_id,
  owner_id: query.owner_id,
  node: query.node,
  domain: lower(query.domain ?? ''),
  search: lower(query.search ?? ''),
  after: query.after,
})

export const shapeOf = (
  query: ListQuery,
  { q, domain, search }: ListParams,
  owned: boolean,
  searched: readonly string[],
): QueryShape => ({
  owned,
  ...(search !== '' && { searched }),
  part: q === '' ? 'none' : q.length === 1 ? 'letter' : 'longer',
  filters: filtersOf(query, domain),
  sort: query.sort,
  after: query.after !== undefined,
  order: query.order,
})

const filtersOf = ({ status, package_id, owner_id, node, over_quota }: ListQuery, domain: string): ConditionName[] => {
  const used: Record<ConditionName, boolean> = {
    status: status !== undefined,
    package: package_id !== undefined,
    owner: owner_id !== undefined,
    node: node !== undefined,
    over: over_quota === true,
    within: over_quota === false,
    domain: domain !== '',
  }
  return (Object.keys(used) as ConditionName[]).filter((filter) => used[filter])
}
