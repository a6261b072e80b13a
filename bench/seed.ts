import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ask, newDirectory, startPanel } from './panel.ts'

/** A data directory that holds so many accounts and events, and a token that reaches all of them. */
export interface Seeded {
  readonly directory: string
  readonly accounts: number
  readonly token: string
  /** One that stands in the middle. */
  readonly account: { readonly id: string; readonly username: string }
}

/** The server makes its store itself; the rows are then written straight into it. */
export async function seed(accounts: number, events: number): Promise<Seeded> {
  const directory = newDirectory()
  const server = await startPanel(directory)
  const { secret } = await ask(directory, 'POST', '/tokens', { name: 'bench', scopes: ['full-access'] })
  await server.stop()
  const store = new Database(join(directory, 'panel.db'))
  store.pragma('synchronous = OFF')
  store.transaction(() => fill(store, accounts, events))()
  store.close()
  const middle = Math.floor(accounts / 2)
  return { directory, accounts, token: secret, account: { id: id(middle), username: username(middle) } }
}

const words = `alpha bravo coast delta ember fjord grove haven ivory jumbo karma lemon maple north ocean pearl quill
river solar tulip ultra vivid wheat xenon yield zebra amber birch cedar drift`.split(/\s+/)

/** Names as people choose them: a word, and what makes it unique. */
export const username = (n: number): string => `${words[n % words.length]}${n.toString(36)}`

/** A ULID that is older than any made today. */
export const id = (n: number): string => `01${String(n).padStart(24, '0')}`

function fill(store: Database.Database, accounts: number, events: number): void {
  const defaults = store
    .prepare(`SELECT p.id AS plan, p.owner_id AS root, i.id AS ip FROM packages AS p, ips AS i`)
    .get() as Defaults
  addAccounts(store, defaults, accounts)
  addDomains(store)
  setSomeApart(store)
  addEvents(store, defaults, accounts, events)
}

interface Defaults {
  readonly plan: string
  readonly root: string
  readonly ip: string
}

/** Their uids lie above those that the server gives out. */
const firstUid = 100_000

function addAccounts(store: Database.Database, { plan, root, ip }: Defaults, count: number): void {
  const insert = store.prepare(
    `INSERT INTO accounts (id, username, main_domain, contact_email, owner_id, package_id, ip_id, uid, home_dir,
       db_prefix, shell, theme, locale, mail_routing, cgi, spam_box, spam_filter, make_reseller, disk_quota_mb,
       disk_used_mb, inodes_used, measured_at, zone_serial, applied_username, provisioned, created_at)
     VALUES (@id, @name, @name || '.example', @name || '@example.com', @root, @plan, @ip, @uid, '/home/' || @name,
       'p' || @uid || '_', '/usr/sbin/nologin', 'default', 'en', 'auto', 1, 1, 1, 0, 10000,
       @uid % 9000, @uid % 50000, @now, 2026010100, @name, 1, @now)`,
  )
  const now = Date.now()
  for (let n = 0; n < count; n++) insert.run({ id: id(n), name: username(n), root, plan, ip, uid: firstUid + n, now })
}

/** Each has its main domain, as if the server had made it. */
function addDomains(store: Database.Database): void {
  store.exec(`INSERT INTO domains (id, account_id, name, reversed, kind, document_root, handler, https_redirect, applied,
      status, created_at, updated_at)
    SELECT id, id, main_domain, 'example.' || username || '.', 'main', 'sites/' || main_domain || '/public', 'php', 0,
      '{}', 'active', created_at, created_at FROM accounts`)
}

/** However many there are, fifty are suspended, and fifty use nearly all of their disk space. */
function setSomeApart(store: Database.Database): void {
  store.exec(`UPDATE accounts SET suspended_at = created_at WHERE id IN (SELECT id FROM accounts ORDER BY id LIMIT 50);
    UPDATE accounts SET disk_used_mb = 9500 WHERE id IN (SELECT id FROM accounts ORDER BY id LIMIT 50 OFFSET 100)`)
}

function addEvents(store: Database.Database, { plan, root }: Defaults, accounts: number, count: number): void {
  const insert = store.prepare(
    `INSERT INTO events (id, type, created_at, account_id, for_account, server, core)
     VALUES (?, 'account.created', ?, ?, 1, 'bench.example', ?)`,
  )
  const now = Date.now()
  for (let n = 0; n < count; n++) {
    const account = n % accounts
    insert.run(id(n), now, id(account), coreOf(n, account, now, plan, root))
  }
}

/** The text of an event as the server writes it. */
function coreOf(n: number, account: number, now: number, plan: string, root: string): string {
  const body = {
    id: id(n),
    type: 'account.created',
    created_at: now,
    account_id: id(account),
    data: {
      account: { id: id(account), username: username(account), domain: `${username(account)}.example` },
      object: 'account',
      object_id: id(account),
      details: { package: { id: plan, name: 'default' }, owner: { id: root, name: 'root' } },
      actor: { type: 'root', id: root },
      via: 'api',
    },
  }
  return JSON.stringify(body).slice(1, -1)
}
