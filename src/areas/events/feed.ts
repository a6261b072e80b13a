import type Database from 'better-sqlite3'
import type { EventType } from '../../contract/events.ts'
import type { Context } from '../../runtime/context.ts'
import { type EventRow, itemOf } from '../../runtime/emit.ts'
import { Raw } from '../../runtime/run.ts'
import { getSetting } from '../../runtime/settings.ts'
import { prepared } from '../../store/prepared.ts'

/** What a page of the feed is asked for. */
export interface Ask {
  readonly after?: number
  readonly limit: number
  readonly types: readonly EventType[] | undefined
  readonly account_id?: string
}

interface Row {
  seq: number
  core: string
}

/** A page of the feed, oldest first. `next` never makes a filtered poll scan the same events twice. */
export function page(ctx: Context, ask: Ask): Raw {
  const after = ask.after ?? 0
  const newest = newestSeq(ctx)
  const rows = after >= newest ? [] : select(ctx, ask, after)
  const next = rows.length === ask.limit ? rows.at(-1)!.seq : newest
  const gap = after > 0 && after < (getSetting(ctx.db, 'pruned_seq') ?? 0)
  return new Raw(`{"items":[${rows.map(itemOf).join(',')}],"next":${next}${gap ? ',"gap":true' : ''}}`)
}

/** Whether an event that is asked for stands after the cursor, or the cursor is beyond the newest. */
export const ready = (ctx: Context, ask: Ask): boolean =>
  (ask.after ?? 0) > newestSeq(ctx) || select(ctx, { ...ask, limit: 1 }, ask.after ?? 0).length > 0

/** The same of one event that has just happened. */
export const isAsked = ({ after = 0, account_id, types }: Ask, event: EventRow): boolean =>
  event.seq > after &&
  (account_id === undefined || (event.for_account && event.account_id === account_id)) &&
  (types === undefined || types.includes(event.type))

/** Also when every event was pruned: AUTOINCREMENT remembers. */
function newestSeq(ctx: Context): number {
  const row = statement(ctx.store.sqlite, "SELECT seq FROM sqlite_sequence WHERE name = 'events'").get()
  return (row as { seq: number } | undefined)?.seq ?? 0
}

const statements = prepared((_: Database.Database) => new Map<string, Database.Statement>())
const kept = 100

/** Prepared once for each combination of types that is asked for. */
function statement(sqlite: Database.Database, text: string): Database.Statement {
  const known = statements(sqlite)
  let found = known.get(text)
  if (!found) {
    if (known.size >= kept) known.clear()
    found = sqlite.prepare(text)
    known.set(text, found)
  }
  return found
}

/** Each type is read from its own index and the few rows are merged: a page costs the same at any size. */
function select(ctx: Context, ask: Ask, after: number): Row[] {
  const where =
    ask.account_id === undefined ? 'seq > @after' : 'account_id = @account AND for_account = 1 AND seq > @after'
  const one = `SELECT seq, core FROM events WHERE ${where}`
  const text = ask.types === undefined ? `${one} ORDER BY seq LIMIT @limit` : merged(one, ask.types)
  return statement(ctx.store.sqlite, text).all({ after, limit: ask.limit, account: ask.account_id }) as Row[]
}

const merged = (one: string, types: readonly EventType[]): string =>
  `${types.map((type) => `SELECT * FROM (${one} AND type = '${type}' ORDER BY seq LIMIT @limit)`).join(' UNION ALL ')} ORDER BY seq LIMIT @limit`
