import { and, desc, eq, isNotNull, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteSelect } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { Notice, NoticeKind } from '../../../contract/notices.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { memoize } from '../../../shared/memoize.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'

/** A notice from an area. */
export type NoticeData = Omit<z.infer<typeof Notice>, 'username' | 'command' | 'mend'>

export interface NoticeScope {
  /** Only of this account. */
  readonly account?: string | undefined
  /** Only of this owner's accounts; without either, of all accounts and the server. */
  readonly owner?: string | undefined
  /** The newest are told. */
  readonly limit: number
}

export type Notices = (ctx: Pick<Context, 'db' | 'now' | 'runtime'>, scope: NoticeScope) => readonly NoticeData[]

/** Where rows record since when something is wrong, and whose they are. */
interface Faulty {
  readonly kind: NoticeKind
  readonly id: SQLiteColumn
  readonly account: SQLiteColumn
  readonly since: SQLiteColumn
}

type NoticeReach = 'account' | 'owner' | 'all'

interface NoticeQuery<T> {
  all(values: Readonly<Record<string, unknown>>): T[]
}

/** Rows that `make` finds for each reach. Prepared once: building a query takes many times as long as running it. */
export function withinReach<T>(make: (db: Db, reach: NoticeReach) => NoticeQuery<T>) {
  const queries = prepared((_: Db) => new Map<NoticeReach, NoticeQuery<T>>())
  return (db: Db, { account, owner, limit }: NoticeScope, more: Readonly<Record<string, unknown>> = {}): T[] => {
    const reach = account !== undefined ? 'account' : owner !== undefined ? 'owner' : 'all'
    return memoize(queries(db), reach, () => make(db, reach)).all({ ...more, account, owner, limit })
  }
}

/** The rows with a fault that match a condition. */
export const noticeRowsOf = <Rows extends SQLiteSelect>(faulty: Faulty, rowsIn: (db: Db) => Rows, where?: SQL) =>
  withinReach((db, reach) => {
    const rows = rowsIn(db).where(and(isFaulty(faulty, reach), where))
    const newest = rows.orderBy(desc(faulty.since), desc(faulty.id)).limit(maxRows)
    return newest.prepare() as NoticeQuery<Rows['_']['result'][number]>
  })

/** Keeps the newest. SQLite would re-prepare the statement for a bare parameter. */
export const maxRows = sql`${sql.placeholder('limit')} + 0` as unknown as Placeholder

/** Matches rows with a fault that was not dismissed; `since` has a partial index of those rows. */
const isFaulty = ({ kind, id, account, since }: Faulty, reach: NoticeReach): SQL | undefined =>
  and(
    isNotNull(since),
    reach === 'account' ? eq(account, sql.placeholder('account')) : undefined,
    reach === 'owner'
      ? sql`(SELECT owner_id FROM accounts AS owned WHERE owned.id = ${account}) = ${sql.placeholder('owner')}`
      : undefined,
    undismissed(kind, id, since),
  )

export const undismissed = (kind: NoticeKind, id: SQLiteColumn, since: SQLiteColumn): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM dismissed_notices AS dismissed WHERE dismissed.kind = ${kind}
    AND dismissed.object_id = ${id} AND dismissed.since >= ${since})`

export const percentOf = (used: number, limit: number): number => (limit === 0 ? 100 : Math.floor((used / limit) * 100))
