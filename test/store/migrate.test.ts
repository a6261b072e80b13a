import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lockDirectory } from '../../src/store/lock.ts'
import { type Migration, migrate } from '../../src/store/migrate.ts'
import { migrations, openStore } from '../stored.ts'

const src = join(import.meta.dirname, '../../src')

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-migrate-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

function open(file = ':memory:'): Database.Database {
  const sqlite = new Database(file)
  onTestFinished(() => void sqlite.close())
  sqlite.pragma('foreign_keys = ON')
  return sqlite
}

const family: Migration = {
  name: '0001-family',
  sql: `CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE children (id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL REFERENCES parents (id) ON DELETE CASCADE);`,
}
const rebuild = (copy: string): Migration => ({
  name: '0002-rebuild',
  sql: `CREATE TABLE parents_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO parents_new ${copy};
    DROP TABLE parents; ALTER TABLE parents_new RENAME TO parents;`,
})

function withFamily(): Database.Database {
  const sqlite = open()
  migrate(sqlite, [family])
  sqlite.exec("INSERT INTO parents VALUES (1, 'a'), (2, 'b'); INSERT INTO children VALUES (1, 1), (2, 2), (3, 2)")
  return sqlite
}

const count = (sqlite: Database.Database, table: string) =>
  sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
const version = (sqlite: Database.Database) => sqlite.pragma('user_version', { simple: true })

describe('migration', () => {
  test('keeps the rows of the children when it rebuilds a parent table', () => {
    const sqlite = withFamily()
    migrate(sqlite, [family, rebuild('SELECT id, name FROM parents')])
    expect([count(sqlite, 'parents'), count(sqlite, 'children'), version(sqlite)]).toEqual([2, 3, 2])
    expect(sqlite.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(() => sqlite.exec('INSERT INTO children VALUES (4, 9)')).toThrow('FOREIGN KEY')
    sqlite.exec('DELETE FROM parents WHERE id = 2')
    expect(count(sqlite, 'children')).toBe(1)
  })
  test('rolls back completely when it loses rows or references', () => {
    const sqlite = withFamily()
    const loses = rebuild('SELECT id, name FROM parents WHERE id = 1')
    expect(() => migrate(sqlite, [family, loses])).toThrow('references')
    const childless = { ...family, sql: family.sql }
    sqlite.exec('DELETE FROM children')
    expect(() => migrate(sqlite, [childless, loses])).toThrow('1 of 2 rows in parents')
    expect([count(sqlite, 'parents'), version(sqlite)]).toEqual([2, 1])
    expect(sqlite.pragma('foreign_keys', { simple: true })).toBe(1)
    migrate(sqlite, [family, { ...loses, changes: ['parents'] }])
    expect([count(sqlite, 'parents'), version(sqlite)]).toEqual([1, 2])
  })
  test('leaves the steps before one that fails half way', () => {
    const sqlite = open()
    const broken = { name: '0002-broken', sql: 'CREATE TABLE third (id INTEGER); SELECT nonsense' }
    expect(() => migrate(sqlite, [family, broken])).toThrow()
    expect(version(sqlite)).toBe(1)
    expect(() => count(sqlite, 'third')).toThrow('no such table')
  })
  test('runs once', () => {
    const sqlite = withFamily()
    migrate(sqlite, [family])
    expect(count(sqlite, 'parents')).toBe(2)
  })
})

describe('file of a store', () => {
  test('refuses a file of a newer panel', () => {
    const file = join(place(), 'panel.db')
    const store = openStore(file)
    store.close()
    const newer = open(file)
    newer.pragma(`user_version = ${migrations.length + 1}`)
    newer.close()
    expect(() => openStore(file)).toThrow('newer panel')
  })
  test('refuses a file of another program and leaves it as it is', () => {
    const file = join(place(), 'panel.db')
    const foreign = open(file)
    foreign.exec('CREATE TABLE notes (text TEXT)')
    foreign.close()
    const before = readFileSync(file)
    expect(() => openStore(file)).toThrow('not a panel store')
    expect(readFileSync(file).equals(before)).toBe(true)
  })
  test('refuses a file that is no database and leaves it as it is', () => {
    const file = join(place(), 'panel.db')
    writeFileSync(file, 'a diary, and no database at all\n'.repeat(100))
    expect(() => openStore(file)).toThrow()
    expect(readFileSync(file, 'utf8')).toMatch(/^a diary/)
  })
})

test('a directory is locked by one, and free once that one releases it', () => {
  const file = join(place(), 'panel.lock')
  const free = lockDirectory(file)
  expect(() => lockDirectory(file)).toThrow('Another panel server is running on this data directory.')
  free()
  lockDirectory(file)()
})

describe('tables of the code and of the store', async () => {
  const files = (readdirSync(src, { recursive: true }) as string[]).filter((file) => /(^|\/)tables\.ts$/.test(file))
  const modules: Record<string, unknown>[] = await Promise.all(files.map((file) => import(join(src, file))))
  const tables = modules.flatMap((module) => Object.values(module).filter((value) => value instanceof SQLiteTable))
  const sqlite = new Database(':memory:')
  migrate(sqlite, migrations)
  const stored = sqlite
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all()

  test('declares all tables of the store', () => {
    expect(tables.map((table) => getTableConfig(table).name).sort()).toEqual(stored)
  })
  test.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
    'matches the table %s of the store',
    (name, table) => {
      const config = getTableConfig(table)
      const composite = config.primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name))
      const known = config.columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        notnull: column.notNull || composite.includes(column.name),
        key: column.primary || composite.includes(column.name),
      }))
      const rows = sqlite.pragma(`table_info(${name})`) as { name: string; type: string; notnull: number; pk: number }[]
      const real = rows.map((row) => ({
        name: row.name,
        type: row.type,
        notnull: row.notnull === 1 || row.pk > 0,
        key: row.pk > 0,
      }))
      const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
      expect(known.sort(byName)).toEqual(real.sort(byName))
    },
  )
  test('declares defaults that agree with the store', () => {
    for (const table of tables) {
      const { name, columns } = getTableConfig(table)
      const rows = sqlite.pragma(`table_info(${name})`) as { name: string; dflt_value: string | null }[]
      const defaults = new Map(rows.map((row) => [row.name, row.dflt_value]))
      for (const column of columns) {
        if (!column.hasDefault || column.default === undefined) continue
        const written = String(column.mapToDriverValue(column.default as never))
        expect(defaults.get(column.name)?.replaceAll("'", ''), `${name}.${column.name}`).toBe(written)
      }
    }
  })
})
