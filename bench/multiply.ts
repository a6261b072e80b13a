import { join } from 'node:path'
import Database from 'better-sqlite3'
import { id } from './seed.ts'

type Values = Record<string, unknown>

/** What an account with domains, as the server makes it, has in the store. */
const tables = ['accounts', 'domains', 'dns_zones', 'dns_records', 'certificates', 'email_domains', 'email_keys']

/** Their uids lie above those that the server gives out. */
const firstUid = 40_000

/** Writes so many copies of the only account, under names of the same length; the next start brings them to the host. */
export function multiply(directory: string, copies: readonly string[]): void {
  const store = new Database(join(directory, 'panel.db'))
  store.pragma('synchronous = OFF')
  store.transaction(() => fill(store, copies))()
  store.exec("INSERT OR REPLACE INTO settings (name, value) VALUES ('swept_epoch', '0')")
  store.close()
}

function fill(store: Database.Database, copies: readonly string[]): void {
  const { username } = store.prepare('SELECT username FROM accounts').get() as { username: string }
  const inUse = tables.map((table) => accountsOnHost(store, table))
  const ids = inUse.flatMap(({ rows }) => rows.flatMap((row) => (row['id'] as string | undefined) ?? []))
  for (const [n, name] of copies.entries()) {
    const renamed = new Map(ids.map((old, place) => [old, id(n * ids.length + place)]))
    const copy = (value: unknown) =>
      typeof value === 'string' ? (renamed.get(value) ?? value.replaceAll(username, name)) : value
    for (const { insert, rows } of inUse) for (const row of rows) insert.run(copyOf(row, copy, firstUid + n))
  }
}

function copyOf(row: Values, copy: (value: unknown) => unknown, uid: number): Values {
  const values = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, copy(value)]))
  return 'uid' in row ? { ...values, uid } : values
}

function accountsOnHost(store: Database.Database, table: string): { insert: Database.Statement; rows: Values[] } {
  const names = (store.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
  const values = names.map((name) => `@${name}`)
  return {
    insert: store.prepare(`INSERT INTO ${table} (${names}) VALUES (${values})`),
    rows: store.prepare(`SELECT ${names} FROM ${table}`).all() as Values[],
  }
}
