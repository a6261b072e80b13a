import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/store/open.ts'
import { openStore } from '../stored.ts'
import { soon } from '../wait-for.ts'

function opened(): { store: Store; file: string; other: Database.Database } {
  const dir = mkdtempSync(join(tmpdir(), 'panel-reading-'))
  const file = join(dir, 'panel.db')
  const store = openStore(file)
  const other = new Database(file)
  onTestFinished(() => {
    other.close()
    store.close()
    rmSync(dir, { recursive: true })
  })
  return { store, file, other }
}

const write = (sqlite: Database.Database, value: string | number): void =>
  void sqlite.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('mark', ?)").run(String(value))
const read = (sqlite: Database.Database): unknown =>
  sqlite.prepare("SELECT value FROM settings WHERE name = 'mark'").pluck().get()

test('a held read sees every commit of its own process at once', async () => {
  const { store } = opened()
  for (let value = 0; value < 50; value++) {
    store.hold()
    read(store.sqlite)
    await store.change(() => write(store.sqlite, value))
    expect(read(store.sqlite)).toBe(String(value))
    store.hold()
    expect(read(store.sqlite)).toBe(String(value))
  }
})

test('a held read sees one state, and soon what others wrote', async () => {
  const { store, other } = opened()
  await store.change(() => write(store.sqlite, 'ours'))
  store.hold()
  expect(read(store.sqlite)).toBe('ours')
  write(other, 'theirs')
  expect(read(store.sqlite)).toBe('ours')
  await soon(() => expect(read(store.sqlite)).toBe('theirs'))
})

test('the WAL does not grow while reads are held, and others can empty it', async () => {
  const { store, file, other } = opened()
  for (let value = 0; value < 300; value++) {
    store.hold()
    read(store.sqlite)
    await store.change(() => write(store.sqlite, 'x'.repeat(60_000) + value))
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(6_000_000)
  store.hold()
  read(store.sqlite)
  await soon(() => expect(other.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]))
})

test('a held read outlives neither a change that fails nor the store', async () => {
  const { store } = opened()
  await store.change(() => write(store.sqlite, 'kept'))
  store.hold()
  read(store.sqlite)
  const failing = store.change(() => {
    write(store.sqlite, 'undone')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  store.hold()
  expect(read(store.sqlite)).toBe('kept')
  store.close()
  expect(store.sqlite.open).toBe(false)
})
