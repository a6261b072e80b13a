import type Database from 'better-sqlite3'
import { Problem } from '../../contract/problem.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import { prepared } from '../../store/prepared.ts'
import type { WebhookRow } from './tables.ts'

// By hand, as claiming and settling are: 5 µs instead of 200 (bench/sql.ts).

const MAX_PINGS = 10
const minute = 60_000

const queries = prepared((sqlite: Database.Database) => ({
  earlier: sqlite
    .prepare<[string, number], number>(
      `SELECT created_at FROM events WHERE account_id = ? AND for_account = 1 AND type = 'webhook.ping'
       ORDER BY seq DESC LIMIT 1 OFFSET ?`,
    )
    .pluck(),
}))

/** Emits a `webhook.ping` for one webhook and returns its id. 429 for more than ten per account and minute. */
export function ping(ctx: Context, webhook: WebhookRow, account: AccountName | undefined): string {
  if (account) refuseTooMany(ctx, account.id)
  return ctx.emit({ type: 'webhook.ping', account, object_id: webhook.id, details: {} })
}

function refuseTooMany(ctx: Context, accountId: string): void {
  const tenth = queries(ctx.store.sqlite).earlier.get(accountId, MAX_PINGS - 1)
  if (tenth === undefined || tenth <= ctx.now - minute) return
  const seconds = String(Math.ceil((tenth + minute - ctx.now) / 1000))
  throw new Problem('rate-limited', `An account may send ${MAX_PINGS} pings a minute.`, undefined, {
    'Retry-After': seconds,
  })
}
