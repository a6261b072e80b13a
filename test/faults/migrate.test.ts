import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { migrate } from '../../src/store/migrate.ts'
import { builtServer } from '../built.ts'
import { migrations, openStore } from '../stored.ts'
import { newDirectory, start } from './process.ts'

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: 0 | 1
  readonly hidden: number
}

type Row = Record<string, unknown>

/** Values of columns that cannot be derived from their types. */
const input: Readonly<Record<string, Row>> = {
  // The count is computed from the counted rows; what is on other nodes is recorded for name servers as it is created.
  accounts: { db_count: 0, node: 'local' },
  wordpress_sites: { status: 'missing', missing_since: 1 },
  alert_channels: { type: 'webhook', shape: 'json', recipient: null, host: 'a', address: 'b' },
  alerts: { state: 'open', ended_at: null },
  alert_sends: { outcome: 'sent', due_at: null },
  app_env: { value: 'blue', sealed: null },
  cron_jobs: { enabled: 1, next_run_at: 7 },
  cron_runs: { outcome: 'succeeded', finished_at: 7 },
  domains: { kind: 'addon', document_root: 'sites/a/public', rules: '{}' },
  deliveries: { status: 'pending', retry_at: 7, sent_at: null, flight: null, asked_at: null },
  email_mailboxes: { near_since: null },
  feature_lists: { name: 'default', features: '{}' },
  email_mta_sts: { mode: 'testing', ends_at: null },
  mail_relay_targets: { domain_id: null },
  firewall_rules: { port: 443, service: null, change: null, change_id: null, revert_at: null },
  nodes: { roles: '["web","dns"]' },
  resellers: { brand: '{}' },
}

/** The given values of columns that a table has at that version. */
const providedOf = (table: string, row: Row): Row =>
  Object.fromEntries(Object.entries(input[table] ?? {}).filter(([name]) => name in row))

/** Tables that contain what was written to them, unlike those of a search index. */
function tablesOf(sqlite: Database.Database): { name: string; sql: string }[] {
  const all = sqlite
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    .all() as { name: string; sql: string }[]
  const virtual = all.filter(({ sql }) => /^CREATE VIRTUAL/i.test(sql)).map(({ name }) => name)
  return all.filter(({ name }) => !virtual.some((one) => name === one || name.startsWith(`${one}_`)))
}

const columnsOf = (sqlite: Database.Database, table: string): Column[] =>
  (sqlite.pragma(`table_xinfo('${table}')`) as Column[]).filter(({ hidden }) => hidden === 0)

/** A value that satisfies the column's own checks. */
function guess(sql: string, { name, type }: Column, place: number): unknown {
  const among = new RegExp(`CHECK \\(${name} IN\\s+\\(([^)]*)\\)`).exec(sql)?.[1]?.split(',')
  const one = among?.[place % among.length]?.trim()
  if (one !== undefined) return one.startsWith("'") ? one.slice(1, -1) : Number(one)
  if (type === 'BLOB') return Buffer.from(`${name} ${place}`)
  return type === 'INTEGER' ? place + 1 : `${name} ${place} ünï`
}

const referencesOf = (sqlite: Database.Database, table: string) =>
  sqlite.pragma(`foreign_key_list('${table}')`) as { from: string; table: string; to: string }[]

/** A rebuilt table comes after those that refer to it. */
function referencedFirst<T extends { readonly name: string }>(sqlite: Database.Database, tables: readonly T[]): T[] {
  const left = [...tables]
  const sorted: T[] = []
  const isReady = ({ name }: T) =>
    referencesOf(sqlite, name).every(({ table }) => table === name || !left.some((one) => one.name === table))
  while (left.length > 0) sorted.push(...left.splice(left.findIndex(isReady), 1))
  return sorted
}

/** Two rows in every table, the first with every column filled; references point to the row of the same number. */
function fill(sqlite: Database.Database): void {
  for (const { name: table, sql } of referencedFirst(sqlite, tablesOf(sqlite))) {
    // Its only row came with it.
    if (sql.includes('CHECK (id = 1)')) continue
    const columns = columnsOf(sqlite, table)
    const references = referencesOf(sqlite, table)
    for (const place of [0, 1]) {
      const row: Row = Object.fromEntries(
        columns.map((column) => [
          column.name,
          place === 1 && !column.notnull && column.name !== 'id' ? null : guess(sql, column, place),
        ]),
      )
      for (const { from, table: other, to } of references)
        if (row[from] !== null) row[from] = sqlite.prepare(`SELECT "${to}" FROM "${other}"`).pluck().all()[place]
      insert(sqlite, table, { ...row, ...providedOf(table, row) })
    }
  }
}

/** Replaces a row that a trigger inserted. */
function insert(sqlite: Database.Database, table: string, row: Row): void {
  const names = Object.keys(row)
  const text = `INSERT OR REPLACE INTO "${table}" (${names.map((name) => `"${name}"`)}) VALUES (${names.map((name) => `@${name}`)})`
  sqlite.prepare(text).run(row)
}

type Contents = Record<string, Row[]>

function contents(sqlite: Database.Database): Contents {
  const tables = tablesOf(sqlite).map(({ name }) => name)
  return Object.fromEntries(
    tables.map((name) => {
      const columns = columnsOf(sqlite, name).map((column) => `"${column.name}"`)
      return [name, sqlite.prepare(`SELECT ${columns} FROM "${name}"`).all() as Row[]]
    }),
  )
}

/** A store as left by a panel with a number of migrations. */
function storeOf(version: number): { dir: string; file: string; rows: Contents } {
  const dir = newDirectory()
  const file = join(dir, 'panel.db')
  const sqlite = new Database(file)
  sqlite.pragma('journal_mode = WAL')
  migrate(sqlite, migrations.slice(0, version))
  fill(sqlite)
  const rows = contents(sqlite)
  sqlite.close()
  return { dir, file, rows }
}

/** The previous rows, in their previous columns. */
function stored(sqlite: Database.Database, before: Contents): void {
  const after = contents(sqlite)
  for (const [table, rows] of Object.entries(before)) {
    const same = after[table]?.map((row, place) =>
      Object.fromEntries(Object.keys(rows[place] ?? {}).map((name) => [name, row[name]])),
    )
    expect(same, table).toEqual(rows)
  }
}

function isLeftAt(file: string, version: number, rows: Contents): void {
  const sqlite = new Database(file)
  expect(sqlite.pragma('user_version', { simple: true })).toBe(version)
  stored(sqlite, rows)
  sqlite.close()
}

/** Opens a store in a process without the rest of the server: there is one for each step. */
async function openUntilKilled(dir: string, after: number): Promise<NodeJS.Signals | number | null> {
  const steps = join(dir, 'migrations.json')
  writeFileSync(steps, JSON.stringify(migrations))
  const words = [await builtServer('test/faults/migrate-main.ts'), join(dir, 'panel.db'), steps, String(after)]
  const child = spawn(process.execPath, words, { stdio: 'inherit' })
  const [code, signal] = await once(child, 'exit')
  return signal ?? code
}

const versions = migrations.slice(0, -1).map(({ name }, place) => [name, place + 1] as const)

describe('store of an earlier schema', () => {
  test.each(versions)('migrates a store as of %s with every row in it', (_, version) => {
    const { file, rows } = storeOf(version)
    expect(Object.entries(rows).every(([table, some]) => some.length >= (table === 'mail_routes' ? 1 : 2))).toBe(true)
    const store = openStore(file)
    expect(store.sqlite.pragma('user_version', { simple: true })).toBe(migrations.length)
    stored(store.sqlite, rows)
    expect(store.sqlite.pragma('foreign_key_check')).toEqual([])
    expect(store.sqlite.pragma('integrity_check', { simple: true })).toBe('ok')
    store.close()
  })

  test('continues the migration of the oldest store after a kill in each step', async () => {
    const { dir, file, rows } = storeOf(1)
    for (let step = 1; step < migrations.length; step++) {
      expect(await openUntilKilled(dir, step === 1 ? 0 : 1)).toBe('SIGKILL')
      isLeftAt(file, step, rows)
    }
    const store = openStore(file)
    stored(store.sqlite, rows)
    store.close()
  }, 60_000)

  test('survives a kill in the last step of migrating the newest store but one, with rows in all tables', async () => {
    const version = migrations.length - 1
    const { dir, file, rows } = storeOf(version)
    const server = await start(dir, { kill: { point: 'mid-migration', after: 0 } })
    expect(await server.ended).toBe('SIGKILL')
    isLeftAt(file, version, rows)
    const store = openStore(file)
    stored(store.sqlite, rows)
    store.close()
  })
})
