import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { versionedCache } from '../../src/store/versioned-cache.ts'
import { openStore } from '../stored.ts'

/** A store with one table, a cached value of it, and the number of reads from the store. */
async function start() {
  const dir = mkdtempSync(join(tmpdir(), 'panel-remembered-'))
  const store = openStore(join(dir, 'panel.db'))
  onTestFinished(() => {
    store.close()
    rmSync(dir, { recursive: true })
  })
  await store.change(() => void store.sqlite.exec('CREATE TABLE words (name TEXT PRIMARY KEY, word TEXT)'))
  const requests: string[] = []
  const find = versionedCache((of, name) => {
    requests.push(name)
    return of.sqlite.prepare('SELECT word FROM words WHERE name = ?').pluck().get(name) as string | undefined
  })
  const write = (name: string, word: string) =>
    void store.sqlite.prepare('INSERT OR REPLACE INTO words VALUES (?, ?)').run(name, word)
  return { store, requests, write, find: (name: string) => find(store, name) }
}

test('a result is cached until something changes', async () => {
  const { store, requests, write, find } = await start()
  await store.change(() => write('a', 'one'))
  expect([find('a'), find('a'), requests]).toEqual(['one', 'one', ['a']])
  await store.change(() => write('a', 'two'))
  expect(find('a')).toBe('two')
  await store.change(() => write('b', 'other'))
  expect([find('a'), find('b')]).toEqual(['two', 'other'])
})

test('a missing result is looked up each time', async () => {
  const { requests, find } = await start()
  expect([find('a'), find('a'), requests]).toEqual([undefined, undefined, ['a', 'a']])
})

test('a change sees what earlier ones in the same commit wrote', async () => {
  const { store, write, find } = await start()
  await store.change(() => write('a', 'one'))
  find('a')
  const seen: unknown[] = []
  await Promise.all([
    store.change(() => write('a', 'two')),
    store.change(() => void seen.push(find('a'))),
    store.change(() => write('a', 'three')),
  ])
  expect([...seen, find('a')]).toEqual(['two', 'three'])
})

test('results from a rolled back change are dropped', async () => {
  const { store, write, find } = await start()
  await store.change(() => write('a', 'one'))
  const failed = store.change(() => {
    write('a', 'two')
    find('a')
    throw new Error('undone')
  })
  await expect(failed).rejects.toThrow('undone')
  expect(find('a')).toBe('one')
})
