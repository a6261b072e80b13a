import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { openStore } from '../stored.ts'
import { newDirectory } from './process.ts'

function made(): { file: string; bytes: Buffer } {
  const file = join(newDirectory(), 'panel.db')
  openStore(file).close()
  return { file, bytes: readFileSync(file) }
}

/** Writes the bytes, and returns how opening the store ends. */
function opened(file: string, bytes: Buffer): string {
  writeFileSync(file, bytes)
  try {
    openStore(file).close()
    return 'opened'
  } catch (error) {
    return (error as Error).message
  } finally {
    expect(readFileSync(file).equals(bytes)).toBe(true)
  }
}

describe('damaged store', () => {
  test.each([
    ['with a page of zeros', (bytes: Buffer) => bytes.fill(0, 4096, 8192)],
    ['with noise in every page', (bytes: Buffer) => bytes.fill(0x5a, 4096)],
    ['cut off in the middle', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['with noise where its head was', (bytes: Buffer) => bytes.fill(0x5a, 0, 200)],
    ['that is something else', () => Buffer.from('a diary, and no database at all\n'.repeat(200))],
  ])('refuses a store and leaves it unchanged: %s', (_, damage) => {
    const { file, bytes } = made()
    expect(opened(file, damage(bytes))).toMatch(/^The store \S+ is damaged: .+\. Nothing was changed\./)
  })
})

test('an intact store, an empty file and none at all are opened', () => {
  const { file, bytes } = made()
  expect(opened(file, bytes)).toBe('opened')
  openStore(join(newDirectory(), 'none.db')).close()
  const empty = join(newDirectory(), 'empty.db')
  writeFileSync(empty, '')
  openStore(empty).close()
})

describe('large store', () => {
  const noise = (bytes: Buffer): Buffer => bytes.fill(0x5a, bytes.length - 4096 * 100, bytes.length - 4096 * 50)

  /** More than is checked at each start. */
  function large(): { file: string; bytes: Buffer } {
    const { file } = made()
    const sqlite = new Database(file)
    sqlite.exec("CREATE TABLE ballast (text TEXT); INSERT INTO ballast VALUES (printf('%.*c', 12000000, 'x'))")
    sqlite.pragma('wal_checkpoint(TRUNCATE)')
    sqlite.close()
    return { file, bytes: readFileSync(file) }
  }

  test('does not check a store that was closed cleanly: it starts as fast as a small one', () => {
    const { file, bytes } = large()
    expect(opened(file, noise(bytes))).toBe('opened')
  })
  test('checks a store after an unclean shutdown', () => {
    const { file, bytes } = large()
    writeFileSync(`${file}-wal`, 'a log that nobody emptied')
    expect(opened(file, noise(bytes))).toMatch(/is damaged: .+ Nothing was changed/)
  })
  test('refuses a truncated store at once', () => {
    const { file, bytes } = large()
    const half = bytes.subarray(0, bytes.length / 2)
    expect(opened(file, half)).toContain(`it has ${half.length} of ${bytes.length} bytes`)
  })
})
