import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SavedDatabases } from '../../src/host/backup/databases.ts'
import { localHome } from '../../src/host/backup/local.ts'
import { make } from '../../src/host/backup/make.ts'
import { restoreDatabases } from '../../src/host/backup/restore-databases.ts'
import { HostError } from '../../src/host/contract/error.ts'
import { idOf, tempDir } from '../host/helpers.ts'
import { hasMariaDb, MariaDb } from '../mysql/mariadb.ts'
import { contentOn } from './content.ts'

describe.skipIf(!hasMariaDb)('restore of a database', { timeout: 60_000 }, () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await MariaDb.start()
  }, 60_000)
  afterAll(() => server?.stop())

  let accounts = 0
  /** A backup of one row, after which another is added. */
  async function saved() {
    const prefix = `cut${++accounts}_`
    const { content, as, databases, bob } = await contentOn(server, prefix)
    const [shop = ''] = databases
    as('CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT a FROM t;')
    const where = { backups: join(tempDir(), 'backups'), host: tempDir() }
    const place = { account: bob.id, backup: idOf(7) }
    const home = localHome(() => Promise.reject(new Error('No home is read.')))
    const order = { place, account: bob, createdAt: 0, parts: [], texts: [], databases: [shop] }
    const { manifestSha256 } = await make(where.backups, { home, databases: content }, order, {})
    as('UPDATE t SET a = 2; CREATE TABLE since (a int);')
    const target = { from: shop, to: shop, collation: 'utf8mb4_unicode_ci' } as const
    const expected = {
      place,
      manifestSha256,
      account: bob,
      restore: idOf(8),
      databases: [target],
      prefix,
      formerPrefix: prefix,
    }
    const restore = (databases: SavedDatabases, signal?: AbortSignal) =>
      restoreDatabases(where, databases, expected, signal ? { signal } : {})
    const copy = () => existsSync(join(where.host, 'var/lib/panel-host/restores', bob.id))
    return { content, as, restore, copy }
  }

  /** The server, except that its first fill does this. */
  const filledBy = (content: SavedDatabases, first: () => void): SavedDatabases => {
    let isFirst = true
    return {
      isThere: () => true,
      dump: (...requests) => content.dump(...requests),
      load: async () => {},
      tryOut: (...requests) => content.tryOut(...requests),
      room: () => content.room(),
      collations: () => content.collations(),
      async fill(filling) {
        if (!isFirst) return content.fill(filling)
        isFirst = false
        first()
        throw new HostError('validate', 'It ended.')
      },
    }
  }
  const broken = 'DROP TABLE t; DROP TABLE since; CREATE TABLE half (a int);'
  const visible = 'SELECT a FROM v; SHOW TABLES'

  test('continues an interrupted restore when it is repeated, and does not save the partial result', async () => {
    const { content, as, restore, copy } = await saved()
    const stop = new AbortController()
    const cut = filledBy(content, () => {
      as(broken)
      stop.abort()
    })
    await expect(restore(cut, stop.signal)).rejects.toThrow()
    expect([as('SHOW TABLES').stdout, copy()]).toEqual(['half\nv\n', true])
    expect(await restore(content)).toEqual({ warnings: [] })
    expect([as(visible).stdout, copy()]).toEqual(['1\nt\nv\n', false])
    const again = filledBy(content, () => as('DROP TABLE t'))
    await restore(again)
    expect(as(visible).stdout).toBe('1\nt\nv\n')
  })

  test('restores the previous content after a restore that fails, and starts over in the next attempt', async () => {
    const { content, as, restore, copy } = await saved()
    await expect(restore(filledBy(content, () => as(broken)))).rejects.toThrow(/^cut\d_shop: It ended\.$/)
    expect([as(visible).stdout, copy()]).toEqual(['2\nsince\nt\nv\n', false])
    await restore(content)
    expect(as(visible).stdout).toBe('1\nt\nv\n')
  })
})
