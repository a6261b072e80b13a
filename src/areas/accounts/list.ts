import type Database from 'better-sqlite3'
import { isRoot } from '../../runtime/actor.ts'
import type { Context } from '../../runtime/context.ts'
import { offsetOf } from '../../runtime/list.ts'
import { Raw } from '../../runtime/run.ts'
import { prepared } from '../../store/prepared.ts'
import { remembered } from '../../store/remembered.ts'
import { accountTables, accountText } from './json.ts'
import { lowerAscii } from './names.ts'

interface Query {
  readonly page: number
  readonly per_page: number
  readonly q?: string | undefined
}

/** Which accounts are asked for: `owner` sees its own, `q` is a part of the name. */
interface Wanted {
  readonly owner: string
  readonly q: string
}

const exact = 'SELECT id FROM accounts WHERE username = @q'

/** Each way to find accounts, and their order where it does not come by itself, reads as few rows as it can. */
const ways = {
  all: ['SELECT id FROM accounts', 'ORDER BY id'],
  owned: ['SELECT id FROM accounts WHERE owner_id = @owner', 'ORDER BY id'],
  ownedNamed: [
    'SELECT id FROM accounts WHERE owner_id = @owner AND instr(username, @q)',
    'ORDER BY username = @q DESC, id',
  ],
  /** A single letter is in so many names that the first page is soon found. */
  lettered: ['SELECT id FROM accounts WHERE instr(username, @q)', 'ORDER BY id'],
  named: [
    `SELECT id FROM (${exact} UNION ALL SELECT id FROM account_name_ends
       WHERE ending >= @q AND ending < @q || '{' AND id IS NOT (${exact}) GROUP BY id)`,
    '',
  ],
} as const
type Way = keyof typeof ways

/** CROSS JOIN keeps the order in which they are found; to sort the texts again would cost half as much as to make them. */
const pageOf = (way: Way): string =>
  `SELECT CAST(concat('{"items":[', group_concat(${accountText}), '],"total":', CAST(@total AS INTEGER), '}') AS BLOB)
   FROM (${ways[way].join(' ')} LIMIT @limit + 0 OFFSET @offset + 0) AS found CROSS JOIN ${accountTables} WHERE a.id = found.id`

const queries = prepared((sqlite: Database.Database) => {
  const prepare = (way: Way) => ({
    page: sqlite.prepare<[Wanted & { limit: number; offset: number; total: number }], Buffer>(pageOf(way)).pluck(),
    total: sqlite.prepare<[Wanted], number>(`SELECT count(*) FROM (${ways[way][0]})`).pluck(),
  })
  return new Map((Object.keys(ways) as Way[]).map((way) => [way, prepare(way)]))
})

/** A page of accounts, made whole in SQL. */
export function listAccounts(ctx: Context, query: Query): Raw {
  const wanted = { owner: ctx.actor.id, q: lowerAscii(query.q ?? '') }
  // No name holds anything else, so that no part of one can.
  if (!/^[a-z0-9]*$/.test(wanted.q)) return new Raw('{"items":[],"total":0}')
  const way = wayTo(wanted.q, isRoot(ctx.actor))
  const total = totalOf(ctx.store, JSON.stringify([way, wanted.owner, wanted.q]))!
  const where = { ...wanted, limit: query.per_page, offset: offsetOf(query), total }
  return new Raw(queries(ctx.store.sqlite).get(way)!.page.get(where)!)
}

function wayTo(q: string, all: boolean): Way {
  if (!all) return q === '' ? 'owned' : 'ownedNamed'
  return q === '' ? 'all' : q.length === 1 ? 'lettered' : 'named'
}

/** Counted once until something changes. */
const totalOf = remembered((store, key) => {
  const [way, owner, q] = JSON.parse(key) as [Way, string, string]
  return queries(store.sqlite).get(way)!.total.get({ owner, q })
})
