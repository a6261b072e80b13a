import type Database from 'better-sqlite3'
import { day } from '../../shared/time.ts'
import { MAX_WAF_HITS, WAF_HIT_DAYS } from '../../shared/waf.ts'
import type { WafHit, WafQuery } from '../contract/commands/waf.ts'
import { openLogDatabase } from '../log-database.ts'
import type { NewHit } from './transaction.ts'

// By hand: a flood of requests is a statement for each row, and drizzle takes three times as long for one.

/** Of all sites; the oldest go first. */
const MAX_ROWS = 1_000_000

const schema = `
CREATE TABLE IF NOT EXISTS hits (
  n INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, site TEXT NOT NULL, address TEXT NOT NULL,
  path TEXT NOT NULL, rule INTEGER NOT NULL, message TEXT NOT NULL, action TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS hits_of_site ON hits (site, n);
CREATE INDEX IF NOT EXISTS hits_at ON hits (at);
`

const statements = (sqlite: Database.Database) => ({
  add: sqlite.prepare(
    `INSERT INTO hits (at, site, address, path, rule, message, action)
    VALUES (@at, @site, @address, @path, @rule, @message, @action)`,
  ),
  dropOfSite: sqlite.prepare(
    `DELETE FROM hits WHERE site = @site AND n <=
    (SELECT n FROM hits WHERE site = @site ORDER BY n DESC LIMIT 1 OFFSET @max)`,
  ),
  dropOld: sqlite.prepare('DELETE FROM hits WHERE at < ?'),
  dropExcess: sqlite.prepare('DELETE FROM hits WHERE n <= (SELECT n FROM hits ORDER BY n DESC LIMIT 1 OFFSET ?)'),
  page: sqlite.prepare(
    `SELECT n, at, address, path, rule, message, action FROM hits
    WHERE site = @site AND n < @after AND at >= @since AND (@rule IS NULL OR rule = @rule) ORDER BY n DESC LIMIT @limit`,
  ),
})

/** The file with what the firewall found. */
export class HitsFile {
  readonly #sqlite: Database.Database
  readonly #statements: ReturnType<typeof statements>

  constructor(path: string) {
    this.#sqlite = openLogDatabase(path, schema)
    this.#statements = statements(this.#sqlite)
  }

  add(hits: readonly NewHit[]): void {
    this.#sqlite.transaction(() => {
      for (const hit of hits) this.#statements.add.run(hit)
      for (const site of new Set(hits.map((hit) => hit.site)))
        this.#statements.dropOfSite.run({ site, max: MAX_WAF_HITS })
    })()
  }

  prune(now: number): void {
    this.#sqlite.transaction(() => {
      this.#statements.dropOld.run(now - WAF_HIT_DAYS * day)
      this.#statements.dropExcess.run(MAX_ROWS)
    })()
  }

  page({ site, rule, after, limit }: WafQuery, now: number): WafHit[] {
    const bounds = { after: after ?? Number.MAX_SAFE_INTEGER, since: now - WAF_HIT_DAYS * day, limit }
    return this.#statements.page.all({ site, rule: rule ?? null, ...bounds }) as WafHit[]
  }

  close(): void {
    this.#sqlite.close()
  }
}
