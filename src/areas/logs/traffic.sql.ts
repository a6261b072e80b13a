import type Database from 'better-sqlite3'
import type { Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'

// By hand: sums that are added to in place, and a sum over a month for every account of a tick.

export interface Amounts {
  readonly web_in: number
  readonly web_out: number
  readonly ftp: number
  readonly mail: number
}

const megabyte = 1024 * 1024

const queries = prepared((sqlite: Database.Database) => ({
  add: sqlite.prepare<[Amounts & { account: string; day: string }]>(
    `INSERT INTO traffic_days (account_id, day, web_in, web_out, ftp, mail)
     VALUES (@account, @day, @web_in, @web_out, @ftp, @mail)
     ON CONFLICT (account_id, day) DO UPDATE SET
       web_in = web_in + excluded.web_in, web_out = web_out + excluded.web_out,
       ftp = ftp + excluded.ftp, mail = mail + excluded.mail`,
  ),
  month: sqlite
    .prepare<[string, string], number>(
      'SELECT coalesce(sum(web_in + web_out + ftp + mail), 0) FROM traffic_days WHERE account_id = ? AND day >= ?',
    )
    .pluck(),
  shown: sqlite.prepare<[{ mb: number; account: string }]>(
    'UPDATE accounts SET bw_used_month_mb = @mb WHERE id = @account AND bw_used_month_mb <> @mb',
  ),
  named: sqlite.prepare<[string], string>('SELECT id FROM accounts WHERE username = ?').pluck(),
  withDomain: sqlite.prepare<[string], string>('SELECT account_id FROM domains WHERE name = ?').pluck(),
}))

/** Adds to what an account transferred on a day. */
export function addTraffic({ sqlite }: Store, account: string, day: string, amounts: Amounts): void {
  queries(sqlite).add.run({ account, day, ...amounts })
}

/** Shows what an account has transferred this month. */
export function showMonth({ sqlite }: Store, account: string, now: number): void {
  const { month, shown } = queries(sqlite)
  const first = `${new Date(now).toISOString().slice(0, 7)}-01`
  shown.run({ account, mb: Math.ceil(month.get(account, first)! / megabyte) })
}

/** Whose a username, or the domain of an address, is. */
export function ownerOf({ sqlite }: Store, name: string): string | undefined {
  const { named, withDomain } = queries(sqlite)
  const domain = name.slice(name.lastIndexOf('@') + 1)
  return domain.includes('.') ? withDomain.get(domain) : named.get(name)
}
