import type Database from 'better-sqlite3'
import type { accountStatuses } from '../../contract/accounts.ts'
import { isRoot } from '../../runtime/actor.ts'
import type { Context } from '../../runtime/context.ts'
import { Preserialized } from '../../runtime/run.ts'
import { offsetOf, type Search } from '../../store/page.ts'
import { prepared } from '../../store/prepared.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { accountTables, accountText } from './json.sql.ts'
import { lowerAscii } from './names.ts'

// By hand: a list is made of such texts, 18 µs each instead of 35 (bench/sql.ts).

type Status = (typeof accountStatuses)[number]

interface Query extends Search {
  readonly status?: Status | undefined
}

/** Which accounts are asked for: `owner` sees its own, `q` is a part of the name. */
interface Wanted {
  readonly owner: string
  readonly q: string
  readonly status: Status | undefined
}

/** What a way to find accounts depends on; each is prepared once. */
interface Way {
  readonly owned: boolean
  readonly part: 'none' | 'letter' | 'longer'
  readonly status: boolean
  readonly order: 'asc' | 'desc'
}

/** Which accounts, and their order where it does not come by itself. */
type Found = readonly [which: string, order: string]

const exact = 'SELECT id FROM accounts WHERE username = @q'

/** By the ends of names, which are indexed; the exact name comes first. */
function named({ order, status }: Way): Found {
  const matches = `SELECT id FROM account_name_ends
    WHERE ending >= @q AND ending < @q || '{' AND id IS NOT (${exact}) GROUP BY id ORDER BY id ${order}`
  const all = `SELECT id FROM (${exact} UNION ALL SELECT id FROM (${matches}))`
  const those = `SELECT id FROM (${all}) AS match WHERE (SELECT status FROM accounts WHERE id = match.id) = @status`
  return [status ? those : all, '']
}

/** A single letter is in so many names that the first page is soon found, and no name is as short. */
function filtered({ owned, part, status, order }: Way): Found {
  const conditions = [
    owned && 'owner_id = @owner',
    // An owner's accounts are read by their owner, whatever the planner thinks of statuses.
    status && `${owned ? '+' : ''}status = @status`,
    part !== 'none' && 'instr(username, @q)',
  ].filter((condition) => condition !== false)
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  const exactFirst = part === 'longer' ? 'username = @q DESC, ' : ''
  return [`SELECT id FROM accounts${where}`, `ORDER BY ${exactFirst}id ${order}`]
}

const foundBy = (way: Way): Found => (way.part === 'longer' && !way.owned ? named(way) : filtered(way))

/** CROSS JOIN preserves the order in which they are found: sorting the texts again would cost half as much as making them. */
const pageOf = (way: Way): string =>
  `SELECT CAST(concat('{"items":[', group_concat(${accountText}), '],"total":', CAST(@total AS INTEGER), '}') AS BLOB)
   FROM (${foundBy(way).join(' ')} LIMIT @limit + 0 OFFSET @offset + 0) AS found CROSS JOIN ${accountTables} WHERE a.id = found.id`

function prepare(sqlite: Database.Database, way: Way) {
  const totalOf = `SELECT count(*) FROM (${foundBy({ ...way, order: 'asc' })[0]})`
  return {
    page: sqlite.prepare<[Wanted & { limit: number; offset: number; total: number }], Buffer>(pageOf(way)).pluck(),
    total: sqlite.prepare<[Wanted], number>(totalOf).pluck(),
  }
}

const statements = prepared((_: Database.Database) => new Map<string, ReturnType<typeof prepare>>())

function statementsOf(sqlite: Database.Database, way: Way) {
  const key = JSON.stringify(way)
  const known = statements(sqlite)
  const found = known.get(key) ?? prepare(sqlite, way)
  known.set(key, found)
  return found
}

/** A page of accounts, made whole in SQL. */
export function listAccounts(ctx: Context, query: Query): Preserialized {
  const wanted = { owner: ctx.actor.id, q: lowerAscii(query.q ?? ''), status: query.status }
  // No name holds anything else, so that no part of one can.
  if (!/^[a-z0-9]*$/.test(wanted.q)) return new Preserialized('{"items":[],"total":0}')
  const way = wayTo(ctx, query, wanted)
  const total = totalOf(ctx.store, JSON.stringify([{ ...way, order: 'asc' }, wanted]))!
  const where = { ...wanted, limit: query.per_page, offset: offsetOf(query), total }
  return new Preserialized(statementsOf(ctx.store.sqlite, way).page.get(where)!)
}

const wayTo = ({ actor }: Context, { order }: Query, { q, status }: Wanted): Way => ({
  owned: !isRoot(actor),
  part: q === '' ? 'none' : q.length === 1 ? 'letter' : 'longer',
  status: status !== undefined,
  order,
})

/** Counted once until something changes. */
const totalOf = versionedCache((store, key) => {
  const [way, { owner, q, status }] = JSON.parse(key) as [Way, Wanted]
  return statementsOf(store.sqlite, way).total.get({ owner, q, status })
})
