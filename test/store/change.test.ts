import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Changes } from '../../src/store/change.ts'
import { Reading } from '../../src/store/reading.ts'
import { openStore } from '../stored.ts'
import { timedWork } from '../working.ts'

/** Changes on a database that counts its commits. */
function start() {
  const dir = mkdtempSync(join(tmpdir(), 'panel-change-'))
  const sqlite = new Database(join(dir, 'test.db'))
  onTestFinished(() => {
    sqlite.close()
    rmSync(dir, { recursive: true })
  })
  sqlite.pragma('journal_mode = WAL')
  sqlite.exec('CREATE TABLE words (word TEXT NOT NULL CHECK (length(word) > 0)); PRAGMA query_only = ON')
  const exec = vi.spyOn(sqlite, 'exec')
  const failCommits = () => {
    const real = Database.prototype.exec.bind(sqlite)
    exec.mockImplementation((text) => {
      if (text.startsWith('COMMIT')) throw new Error('the disk is gone')
      return real(text)
    })
    return () => exec.mockRestore()
  }
  const insert = sqlite.prepare('INSERT INTO words VALUES (?)')
  return {
    sqlite,
    failCommits,
    work: timedWork(),
    changes: new Changes(sqlite, new Reading(sqlite)),
    write: (word: string) => void insert.run(word),
    words: () => sqlite.prepare('SELECT word FROM words ORDER BY rowid').pluck().all(),
    commits: () => exec.mock.calls.filter(([text]) => text.includes('COMMIT')).length,
  }
}

describe('changes of one turn', () => {
  test('commits the changes of a turn together, in order', async () => {
    const { changes, write, words, commits } = start()
    await Promise.all(['a', 'b', 'c'].map((word) => changes.run(() => write(word))))
    expect([words(), commits()]).toEqual([['a', 'b', 'c'], 1])
    await changes.run(() => write('d'))
    expect([words(), commits()]).toEqual([['a', 'b', 'c', 'd'], 2])
  })
  test('yields after 20 ms of changes, and continues in the next turn, in order', async () => {
    const { changes, write, words, commits, work } = start()
    const seen: unknown[] = []
    const all = ['a', 'b', 'c', 'd', 'e'].map((word) =>
      changes.run(() => {
        work(10)
        write(word)
      }),
    )
    setImmediate(() => seen.push(words()))
    await Promise.all(all)
    expect([seen, words(), commits()]).toEqual([[['a', 'b']], ['a', 'b', 'c', 'd', 'e'], 3])
  })
  test('fails all changes when the first of them cannot be committed', async () => {
    const { failCommits, changes, write, words, work } = start()
    const repair = failCommits()
    const all = ['a', 'b', 'c'].map((word) =>
      changes.run(() => {
        work(20)
        write(word)
      }),
    )
    const results = await Promise.allSettled(all)
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    repair()
    await changes.run(() => write('d'))
    expect(words()).toEqual(['d'])
  })
  test('answers changes after the commit, never before', async () => {
    const { sqlite, changes, write } = start()
    const other = new Database(sqlite.name)
    onTestFinished(() => void other.close())
    const seen: unknown[] = []
    const count = () => seen.push(other.prepare('SELECT count(*) FROM words').pluck().get())
    const first = changes.run(() => {
      write('a')
      changes.afterCommit(count)
      count()
    })
    await Promise.all([first.then(count), changes.run(() => write('b'))])
    expect(seen).toEqual([0, 2, 2])
  })
  test('rolls back only the change that throws', async () => {
    const { changes, write, words } = start()
    const received: string[] = []
    const results = await Promise.allSettled([
      changes.run(() => write('a')),
      changes.run(() => {
        write('b')
        changes.afterCommit(() => received.push('b'))
        throw new Error('no')
      }),
      changes.run(() => {
        write('c')
        write('')
      }),
      changes.run(() => {
        write('d')
        changes.afterCommit(() => received.push('d'))
      }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect([words(), received]).toEqual([['a', 'd'], ['d']])
  })
  test('fails changes together when the commit fails, and the next ones work', async () => {
    const { failCommits, changes, write, words } = start()
    const received: string[] = []
    const repair = failCommits()
    const both = ['a', 'b'].map((word) =>
      changes.run(() => {
        write(word)
        changes.afterCommit(() => received.push(word))
      }),
    )
    const results = await Promise.allSettled(both)
    expect(results.map((result) => (result as PromiseRejectedResult).reason.message)).toEqual(
      Array(2).fill('the disk is gone'),
    )
    expect([words(), received]).toEqual([[], []])
    repair()
    await changes.run(() => write('c'))
    expect(words()).toEqual(['c'])
  })
  test('keeps the error of each change when the commit fails', async () => {
    const { failCommits, changes, write } = start()
    failCommits()
    const wrong = changes.run(() => {
      throw new Error('my own')
    })
    const right = changes.run(() => write('a'))
    await expect(wrong).rejects.toThrow('my own')
    await expect(right).rejects.toThrow('the disk is gone')
  })
  test('fails changes together when the disk is full, with nothing half written', async () => {
    const { sqlite, changes, write, words } = start()
    const pages = sqlite.pragma('page_count', { simple: true }) as number
    sqlite.pragma(`max_page_count = ${pages}`)
    const results = await Promise.allSettled([
      changes.run(() => write('small')),
      changes.run(() => write('x'.repeat(100_000))),
    ])
    expect(results.map(({ status }) => status)).toContain('rejected')
    const full = results.find((result) => result.status === 'rejected') as PromiseRejectedResult
    expect(full.reason.code).toBe('SQLITE_FULL')
    expect(words()).toEqual(results[0]?.status === 'fulfilled' ? ['small'] : [])
    sqlite.pragma('max_page_count = 1000000')
    await changes.run(() => write('again'))
    expect(words()).toContain('again')
  })
})

describe('a change', () => {
  test('must not await: returning a promise rolls it back', async () => {
    const { changes, write, words } = start()
    const work = (async () => write('late')) as unknown as () => undefined
    await expect(changes.run(work)).rejects.toThrow('synchronous')
    expect(words()).toEqual([])
  })
  test('refuses writes outside a change', async () => {
    const { sqlite, changes, write } = start()
    expect(() => write('outside')).toThrow('readonly')
    expect(() => sqlite.exec('DELETE FROM words')).toThrow('readonly')
    await changes.run(() => write('inside'))
    expect(() => write('after')).toThrow('readonly')
    await changes
      .run(() => {
        throw new Error('undone')
      })
      .catch(() => {})
    expect(() => write('after one that failed')).toThrow('readonly')
  })
  test('refuses commit hooks outside a change', () => {
    const { changes } = start()
    expect(() => changes.afterCommit(() => {})).toThrow('outside')
  })
  test('runs a change requested by a hook in the next turn', async () => {
    const { changes, write, words, commits } = start()
    let second: Promise<void> | undefined
    await changes.run(() => {
      write('first')
      changes.afterCommit(() => {
        second = changes.run(() => write('second'))
      })
    })
    await second
    expect([words(), commits()]).toEqual([['first', 'second'], 2])
  })
})

test('a store is durable at every commit, checks its references, and is written by one', () => {
  const dir = mkdtempSync(join(tmpdir(), 'panel-store-'))
  const store = openStore(join(dir, 'panel.db'))
  onTestFinished(() => {
    store.close()
    rmSync(dir, { recursive: true })
  })
  const setting = (name: string) => store.sqlite.pragma(name, { simple: true })
  expect(setting('journal_mode')).toBe('wal')
  expect(setting('synchronous')).toBe(2)
  expect(setting('foreign_keys')).toBe(1)
  expect(setting('query_only')).toBe(1)
  expect(setting('trusted_schema')).toBe(0)
})
