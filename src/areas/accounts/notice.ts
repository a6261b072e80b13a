import { and, desc, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { z } from 'zod'
import type { Notice, NoticeKind } from '../../contract/notices.ts'
import type { Context } from '../../runtime/context.ts'

/** What an area says needs attention. */
export type Told = Omit<z.infer<typeof Notice>, 'username'>

export interface NoticeScope {
  /** Of this account alone. */
  readonly account?: string | undefined
  /** Of what this owner has; where neither is named, of all accounts and the server. */
  readonly owner?: string | undefined
  /** The newest are told. */
  readonly limit: number
}

export type Notices = (ctx: Pick<Context, 'db' | 'now' | 'runtime'>, scope: NoticeScope) => readonly Told[]

/** Where rows say since when something is wrong with them, and whose they are. */
interface Faulty {
  readonly kind: NoticeKind
  readonly id: SQLiteColumn
  readonly account: SQLiteColumn
  readonly since: SQLiteColumn
}

/** The condition for rows with a fault that was not dismissed; `since` has an index of those rows alone. */
export const isFaulty = ({ kind, id, account, since }: Faulty, { account: one, owner }: NoticeScope): SQL | undefined =>
  and(
    isNotNull(since),
    one === undefined ? undefined : eq(account, one),
    owner === undefined
      ? undefined
      : sql`(SELECT owner_id FROM accounts AS owned WHERE owned.id = ${account}) = ${owner}`,
    undismissed(kind, id, since),
  )

export const undismissed = (kind: NoticeKind, id: SQLiteColumn, since: SQLiteColumn): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM dismissed_notices AS dismissed WHERE dismissed.kind = ${kind}
    AND dismissed.object_id = ${id} AND dismissed.since >= ${since})`

export const newestFirst = ({ since, id }: Pick<Faulty, 'since' | 'id'>): SQL[] => [desc(since), desc(id)]

export const percentOf = (used: number, limit: number): number => (limit === 0 ? 100 : Math.floor((used / limit) * 100))
