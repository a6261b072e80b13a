import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { backUp, restore as restoreAt } from '../../src/server/upkeep.ts'
import { keyId } from '../../src/shared/keys.ts'
import { archiveId } from '../../src/store/archive.ts'
import { lockDirectory } from '../../src/store/lock.ts'
import { backupFolder, finishSwap, nextRename, readyFolder, stagingFolder } from '../../src/store/swap.ts'
import { startPanel, TestPanel } from '../harness.ts'
import { migrations, openStore } from '../stored.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panel-backup-'))
  file = join(folder, 'panel.backup')
})

const current = { host: 'host.example', version: '0.1.0' }
const restore = (options: { dataDir: string; file: string }, agree: Parameters<typeof restoreAt>[1]) =>
  restoreAt({ ...options, ...current }, agree)

const yes = async (): Promise<void> => {}

function scratch(name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { mode: 0o700 })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path
}

const back = (dataDir: string, withKeys = true) => backUp({ dataDir, file, withKeys, ...current })

/** A data directory with a marked store and key. */
function directory(name: string, mark: string): string {
  const dataDir = scratch(name)
  mkdirSync(join(dataDir, 'tls'), { mode: 0o700 })
  writeFileSync(join(dataDir, 'secret.key'), mark.padEnd(32, '.'))
  writeFileSync(join(dataDir, 'tls/key.pem'), mark)
  const store = openStore(join(dataDir, 'panel.db'))
  store.sqlite.pragma('query_only = OFF')
  store.sqlite.prepare("INSERT INTO settings (name, value) VALUES ('mark', ?)").run(JSON.stringify(mark))
  store.close()
  return dataDir
}

/** Identifies a data directory by its store, its key and its certificate. */
function marks(dataDir: string): string[] {
  const sqlite = new Database(join(dataDir, 'panel.db'), { readonly: true })
  const mark = sqlite.prepare("SELECT value FROM settings WHERE name = 'mark'").pluck().get() as string
  sqlite.close()
  const key = readFileSync(join(dataDir, 'secret.key'), 'utf8').replace(/\.+$/, '')
  return [JSON.parse(mark), key, readFileSync(join(dataDir, 'tls/key.pem'), 'utf8')]
}

describe('a backup', () => {
  test('contains the store and, if asked, the key and certificate, readable by its owner only', async () => {
    const archive = await back(directory('old', 'old'))
    expect(archive).toMatchObject({
      file,
      keys: true,
      counts: { accounts: 0 },
      schema: migrations.length,
      host: 'host.example',
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['old', 'panel.backup'])
    const target = scratch('new')
    expect(await restore({ dataDir: target, file }, yes)).toEqual({ archive, key: 'restored' })
    expect(marks(target)).toEqual(['old', 'old', 'old'])
    expect(statSync(join(target, 'panel.db')).mode & 0o777).toBe(0o600)
  })

  describe('restore of a backup without keys', () => {
    beforeEach(async () => {
      const archive = await back(directory('old', 'old'), false)
      expect(archive).toMatchObject({ keys: false, key_id: keyId(Buffer.from('old'.padEnd(32, '.'))) })
      const sqlite = new Database(file, { readonly: true })
      expect(sqlite.prepare('SELECT path FROM backup_files').all()).toEqual([])
      sqlite.close()
      expect(readFileSync(file).includes('old.....')).toBe(false)
    })

    test('uses the existing keys', async () => {
      const target = directory('same', 'old')
      expect(await restore({ dataDir: target, file }, yes)).toMatchObject({ key: 'present' })
      expect(marks(target)).toEqual(['old', 'old', 'old'])
    })

    test('reports existing keys that do not fit, and keeps them', async () => {
      const target = directory('new', 'new')
      expect(await restore({ dataDir: target, file }, yes)).toMatchObject({ key: 'other' })
      expect(marks(target)).toEqual(['old', 'new', 'new'])
    })

    test('says when there are no keys', async () => {
      const target = scratch('empty')
      expect(await restore({ dataDir: target, file }, yes)).toMatchObject({ key: 'missing' })
      expect(readdirSync(target).sort()).toEqual(['incarnation', 'panel.db', 'panel.lock'])
    })
  })

  test('replaces an older backup, and nothing else', async () => {
    const dataDir = directory('old', 'old')
    await back(dataDir)
    await back(dataDir)
    writeFileSync(file, 'precious')
    await expect(back(dataDir)).rejects.toThrow('exists and is not a backup')
    expect(readFileSync(file, 'utf8')).toBe('precious')
  })

  test('removes the leftovers of a killed one, not what another is writing', async () => {
    const dataDir = directory('old', 'old')
    for (const pid of [2 ** 22 + 1, process.ppid]) writeFileSync(`${file}.part-${pid}`, '')
    await back(dataDir)
    expect(readdirSync(folder).filter((name) => name.includes('.part-'))).toEqual([`panel.backup.part-${process.ppid}`])
  })

  test('does not delay a server that stops', () => {
    const dataDir = directory('old', 'old')
    const store = openStore(join(dataDir, 'panel.db'))
    store.sqlite.exec("PRAGMA query_only = OFF; DELETE FROM settings WHERE name = 'nothing'; CREATE TABLE x (y)")
    const reader = new Database(join(dataDir, 'panel.db'), { readonly: true })
    reader.exec('BEGIN; SELECT count(*) FROM settings')
    store.sqlite.exec('INSERT INTO x VALUES (1)')
    const begun = performance.now()
    store.close()
    expect(performance.now() - begun, 'it does not wait for the reader').toBeLessThan(4_500)
    reader.close()
  })

  test('does not start a server', async () => {
    await back(directory('old', 'old'))
    expect(() => openStore(file)).toThrow('not a panel store')
  })

  test('needs a store', async () => {
    await expect(back(scratch('empty'))).rejects.toThrow('there is no store in')
  })
})

const replaced = 'DROP TRIGGER audit_update; CREATE TRIGGER audit_update BEFORE UPDATE ON audit BEGIN SELECT 1; END'

describe('restore', () => {
  test('assigns no number twice, and tells readers of the feed', async () => {
    const panel = await startPanel()
    await panel.account('alice')
    await panel.post('/webhooks', { url: 'https://hooks.example/a' })
    await panel.account('bob')
    const cursor = (await panel.get('/events?limit=2')).body.next
    await back(panel.dir)
    const lost = await panel.account('carol')
    const before = (await panel.get('/events')).body
    const sent = panel.store.sqlite.prepare('SELECT max(number) FROM deliveries').pluck().get() as number

    const again = new TestPanel({})
    await restore({ dataDir: again.dir, file }, yes)
    await again.start()
    onTestFinished(() => again.stop())
    const listed = (await again.get('/accounts')).body.items.map((item: { username: string }) => item.username)
    expect(listed).toEqual(['alice', 'bob'])
    const feed = (await again.get(`/events?after=${cursor}`)).body
    expect(feed.gap).toBe(true)
    expect((await again.get(`/events?after=${before.next}`)).body.gap).toBe(true)
    expect((await again.get(`/events?after=${feed.next}`)).body.gap).toBeUndefined()
    const created = await again.account('dave')
    const newest = (await again.get(`/events?after=${feed.next}`)).body.items[0]
    expect(newest.seq).toBeGreaterThan(before.next + 900_000)
    const number = again.store.sqlite.prepare('SELECT min(number) FROM deliveries WHERE event_seq <= ?').pluck()
    expect(number.get(before.next)).toBeGreaterThanOrEqual(sent + 900_000)
    const uid = (store: typeof panel.store, id: string) =>
      store.sqlite.prepare('SELECT uid FROM accounts WHERE id = ?').pluck().get(id) as number
    expect(uid(again.store, created.id)).toBeGreaterThan(uid(panel.store, lost.id))
  })

  test('keeps what it replaces', async () => {
    await back(directory('old', 'old'))
    const target = directory('new', 'new')
    const { kept: stored } = await restore({ dataDir: target, file }, yes)
    expect(marks(target)).toEqual(['old', 'old', 'old'])
    expect(marks(stored!)).toEqual(['new', 'new', 'new'])
  })

  test('asks first, and does nothing without a yes', async () => {
    await back(directory('old', 'old'))
    const target = directory('new', 'new')
    const requests: boolean[] = []
    const no = async ({ replaces }: { replaces: boolean }): Promise<void> => {
      requests.push(replaces)
      throw new Error('no')
    }
    await expect(restore({ dataDir: target, file }, no)).rejects.toThrow('no')
    expect(requests).toEqual([true])
    expect(marks(target)).toEqual(['new', 'new', 'new'])
  })

  test('refuses while a server holds the directory', async () => {
    await back(directory('old', 'old'))
    const target = directory('new', 'new')
    const unlock = lockDirectory(join(target, 'panel.lock'))
    await expect(restore({ dataDir: target, file }, yes)).rejects.toThrow('Another panel server')
    unlock()
    expect(marks(target)).toEqual(['new', 'new', 'new'])
  })

  describe('source of a restore', () => {
    const refused = async (reason: string | RegExp): Promise<void> => {
      const target = directory('new', 'new')
      await expect(restore({ dataDir: target, file }, yes)).rejects.toThrow(reason)
      expect(marks(target)).toEqual(['new', 'new', 'new'])
    }

    test.each([0, 50, 4096, 100_000])(
      'refuses a file cut off after %i bytes, and leaves what is there',
      async (bytes) => {
        await back(directory('old', 'old'))
        truncateSync(file, bytes)
        await refused(bytes < 100 ? 'is not a backup of panel' : `is damaged: it has ${bytes} of`)
      },
    )

    test('refuses a file with a page of noise, and leaves what is there', async () => {
      await back(directory('old', 'old'))
      const handle = openSync(file, 'r+')
      writeSync(handle, Buffer.alloc(4096, 0x5a), 0, 4096, 4096 * 3)
      closeSync(handle)
      await refused('is damaged')
    })

    test('refuses a store, and leaves what is there', async () => {
      cpSync(join(directory('old', 'old'), 'panel.db'), file)
      await refused('is a store, not a backup')
    })

    test('refuses a file of another program, and leaves what is there', async () => {
      writeFileSync(file, 'PK\u0003\u0004'.padEnd(2000))
      await refused('is not a backup of panel')
    })

    test.each([
      ['a trigger', 'CREATE TRIGGER planted AFTER INSERT ON audit BEGIN DELETE FROM tokens; END', 'trigger planted'],
      ['a view', 'CREATE VIEW planted AS SELECT * FROM tokens', 'view planted'],
      ['a table', 'CREATE TABLE planted (text TEXT)', 'table planted'],
      ['an index', 'CREATE INDEX planted ON tokens (name)', 'index planted'],
      ['a column', 'ALTER TABLE tokens ADD COLUMN planted TEXT', 'table tokens'],
      ['another trigger under the name of ours', replaced, 'trigger audit_update'],
    ])('refuses a backup with %s that no panel made', async (_, sql, part) => {
      await back(directory('old', 'old'))
      const sqlite = new Database(file)
      sqlite.exec(sql)
      sqlite.close()
      await refused(`was modified: ${part} does not belong to panel`)
    })

    test('refuses a backup without a trigger of ours', async () => {
      await back(directory('old', 'old'))
      const sqlite = new Database(file)
      sqlite.exec('DROP TRIGGER audit_delete')
      sqlite.close()
      await refused('was modified: trigger audit_delete is missing')
    })

    test('refuses a backup of a newer panel', async () => {
      await back(directory('old', 'old'))
      const sqlite = new Database(file)
      sqlite.pragma(`user_version = ${migrations.length + 1}`)
      sqlite.close()
      await refused('was made by a newer panel')
    })
  })

  test("accepts a replicator's tables, and leaves them out", async () => {
    const dataDir = directory('old', 'old')
    const store = new Database(join(dataDir, 'panel.db'))
    store.exec('CREATE TABLE _litestream_lock (id INTEGER); INSERT INTO _litestream_lock VALUES (1); ANALYZE')
    store.close()
    await back(dataDir)
    const target = scratch('new')
    await restore({ dataDir: target, file }, yes)
    expect(marks(target)).toEqual(['old', 'old', 'old'])
    const restored = new Database(join(target, 'panel.db'), { readonly: true })
    const left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%litestream%'"
    expect(restored.prepare(left).pluck().get()).toBe(0)
    restored.close()
  })

  test('leaves nothing behind of a restore that fails after all checks', async () => {
    await back(directory('old', 'old'))
    const sqlite = new Database(file)
    const long = `tls/${'x'.repeat(300)}.pem`
    sqlite.prepare('INSERT INTO backup_files (path, content) VALUES (?, ?)').run(long, Buffer.from('x'))
    sqlite.close()
    const target = directory('new', 'new')
    const before = readdirSync(target)
    await expect(restore({ dataDir: target, file }, yes)).rejects.toThrow('ENAMETOOLONG')
    const left = readdirSync(target).filter((name) => !/-(wal|shm)$/.test(name))
    expect(left.sort()).toEqual([...before, 'panel.lock'].sort())
    expect(marks(target)).toEqual(['new', 'new', 'new'])
  })

  test('leaves the keys in no page of the store', async () => {
    const key = 'q'.repeat(32)
    await back(directory('old', key))
    expect(readFileSync(file).includes(key)).toBe(true)
    const sqlite = new Database(file)
    sqlite.exec("DELETE FROM settings WHERE name = 'mark'; VACUUM")
    sqlite.close()
    const target = scratch('new')
    await restore({ dataDir: target, file }, yes)
    expect(readFileSync(join(target, 'secret.key'), 'utf8')).toBe(key)
    expect(readFileSync(join(target, 'panel.db')).includes(key)).toBe(false)
  })

  test('never writes where a foreign backup says', async () => {
    await back(directory('old', 'old'))
    const sqlite = new Database(file)
    expect(sqlite.pragma('application_id', { simple: true })).toBe(archiveId)
    const add = sqlite.prepare('INSERT INTO backup_files (path, content) VALUES (?, ?)')
    const paths = ['../escaped', 'tls/../../escaped.pem', 'tls/.hidden.pem', 'panel.sock', '/tmp/escaped.pem']
    for (const path of paths) add.run(path, Buffer.from('x'))
    sqlite.close()
    const target = scratch('new')
    await restore({ dataDir: target, file }, yes)
    expect(readdirSync(target).sort()).toEqual(['incarnation', 'panel.db', 'panel.lock', 'secret.key', 'tls'])
    expect(readdirSync(join(target, 'tls'))).toEqual(['key.pem'])
  })
})

describe('interrupted restore', () => {
  /** A directory where a restore was confirmed and no file has been moved yet. */
  async function decided(): Promise<string> {
    await back(directory('old', 'old'))
    const model = scratch('model')
    await restore({ dataDir: model, file }, yes)
    const target = directory('new', 'new')
    for (const name of ['panel.db-wal', 'panel.db-shm']) writeFileSync(join(target, name), 'of the new store')
    cpSync(model, readyFolder(target, 'now'), { recursive: true })
    rmSync(join(readyFolder(target, 'now'), 'panel.lock'))
    return target
  }

  test('leaves the old state before its commit', async () => {
    const target = directory('new', 'new')
    mkdirSync(stagingFolder(target))
    writeFileSync(join(stagingFolder(target), 'panel.db'), 'half')
    finishSwap(target)
    expect(marks(target)).toEqual(['new', 'new', 'new'])
    await back(directory('old', 'old'))
    await restore({ dataDir: target, file }, yes)
    expect(existsSync(stagingFolder(target))).toBe(false)
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'finishes a restore interrupted after %i files with whoever comes next',
    async (moved) => {
      const target = await decided()
      mkdirSync(backupFolder(target, 'now'))
      for (let count = 0; count < moved; count++) {
        const rename = nextRename(target, 'now')
        if (rename) renameSync(...rename)
      }
      finishSwap(target)
      expect(marks(target)).toEqual(['old', 'old', 'old'])
      expect(readdirSync(target).sort()).toEqual(['before-restore-now', 'incarnation', 'panel.db', 'secret.key', 'tls'])
      const stored = backupFolder(target, 'now')
      expect(readdirSync(stored).sort()).toEqual(['panel.db', 'panel.db-shm', 'panel.db-wal', 'secret.key', 'tls'])
    },
  )

  test('refuses an interrupted restore as the source of a backup', async () => {
    const target = await decided()
    rmSync(file)
    await expect(back(target)).rejects.toThrow('was interrupted')
  })
})
