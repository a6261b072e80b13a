import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { showAccount } from '../src/areas/accounts/list/json.sql.ts'
import { accountById } from '../src/areas/accounts/store.ts'
import { areas } from '../src/areas/index.ts'
import { deliveries } from '../src/areas/webhooks/tables.ts'
import { storePartsOf } from '../src/runtime/areas/store-parts.ts'
import type { Context } from '../src/runtime/operations/context.ts'
import { events } from '../src/runtime/tables.ts'
import { openStore } from '../src/store/open.ts'

/** What hand-written statements save: the figures that files named `*.sql.ts` quote. `node dist/bench/sql.js` or tsx. */
const dir = mkdtempSync(join(tmpdir(), 'panel-sql-'))
const store = openStore(join(dir, 'panel.db'), storePartsOf(areas))
const { db, sqlite } = store
const id = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

await store.change(() => {
  sqlite.exec(`
    INSERT INTO feature_lists VALUES ('f', 'default', 'r', '{}', 0, 0);
    INSERT INTO ips (id, address, version, kind, main, created_at) VALUES ('i', '127.0.0.1', 4, 'shared', 1, 0);
    INSERT INTO packages (id, name, owner_id, feature_list_id, theme, shell, locale, cgi, dedicated_ip, digest_auth, created_at, updated_at)
      VALUES ('p', 'd', 'r', 'f', 'default', '/bin', 'en', 1, 0, 0, 0, 0);
    INSERT INTO accounts (id, username, main_domain, contact_email, owner_id, package_id, ip_id, uid, home_dir, db_prefix, shell, theme,
      locale, mail_routing, cgi, spam_box, spam_filter, make_reseller, measured_at, zone_serial, created_at)
      VALUES ('${id}', 'bob', 'bob.example', '', 'r', 'p', 'i', 20000, '/home/bob', 'bob_', 'sh', 'default', 'en', 'auto', 1, 1, 1, 0, 0, 0, 0);
    INSERT INTO webhooks (id, account_id, url, description, enabled, events, secret, consecutive_failures, created_at, updated_at)
      VALUES ('w', NULL, 'https://hook.example/', '', 1, '["*"]', 's', 0, 0, 0);`)
  const insert = sqlite.prepare(
    `INSERT INTO events (id, type, created_at, for_account, server, core) VALUES (?, 'package.created', 0, 0, 'host.example', ?)`,
  )
  const core = JSON.stringify({
    id,
    type: 'package.created',
    data: { object: 'package', details: { name: 'x'.repeat(200) } },
  })
  for (let n = 0; n < 2000; n++) insert.run(`${id}${n}`, core.slice(1, -1))
})

function measure(name: string, rounds: number, act: (n: number) => unknown): void {
  for (let n = 0; n < rounds / 10; n++) act(n)
  const began = performance.now()
  for (let n = 0; n < rounds; n++) act(n)
  console.log(`${name.padEnd(44)} ${(((performance.now() - began) / rounds) * 1000).toFixed(1)} µs`)
}

const ctx = { store, db, actor: { type: 'root', id: 'r' } } as unknown as Context
measure('an account: text made in SQL', 50_000, () => showAccount(ctx, id))
measure('an account: row, and JSON of it', 20_000, () => JSON.stringify(accountById(db, id)))

const text = sqlite
  .prepare(`SELECT CAST(concat('{"items":[', group_concat(concat('{"seq":', seq, ',', core, '}')), ']}') AS BLOB)
    FROM (SELECT seq, core FROM events WHERE seq > @after ORDER BY seq LIMIT @limit + 0)`)
  .pluck()
const page = db
  .select({ seq: events.seq, core: events.core })
  .from(events)
  .where(gt(events.seq, sql.placeholder('after')))
  .orderBy(asc(events.seq))
  .limit(500)
  .prepare()
measure('500 events: text made in SQL', 2_000, () => text.get({ after: 100, limit: 500 }))
measure('500 events: rows, and text of them', 2_000, () =>
  Buffer.from(
    `{"items":[${page
      .all({ after: 100 })
      .map(({ seq, core }) => `{"seq":${seq},${core}}`)
      .join()}]}`,
  ),
)

sqlite.pragma('query_only = OFF')
sqlite.pragma('foreign_keys = OFF')
sqlite.exec('BEGIN')
const inserted = sqlite.prepare(
  `INSERT INTO deliveries (webhook_id, id, event_seq, status, retry_at, created_at) VALUES ('w', ?, ?, 'pending', 0, 0)`,
)
const row = db
  .insert(deliveries)
  .values({
    webhook_id: 'w',
    id: sql.placeholder('id'),
    event_seq: sql.placeholder('seq'),
    status: 'pending',
    retry_at: 0,
    created_at: 0,
  })
  .prepare()
let count = 0
measure('a delivery: insert', 20_000, () => inserted.run(`a${count}`, ++count))
measure('a delivery: insert, prepared by drizzle', 20_000, () => row.run({ id: `a${count}`, seq: ++count }))
const updated = sqlite.prepare('UPDATE deliveries SET asked_at = ? WHERE webhook_id = ? AND id = ?')
measure('a delivery: update', 20_000, (n) => updated.run(n, 'w', 'a1'))
measure('a delivery: update, built by drizzle', 5_000, (n) =>
  db
    .update(deliveries)
    .set({ asked_at: n })
    .where(and(eq(deliveries.webhook_id, 'w'), eq(deliveries.id, 'a1')))
    .run(),
)
sqlite.exec('ROLLBACK')
store.close()
rmSync(dir, { recursive: true })
