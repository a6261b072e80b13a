import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { nativeHash } from '../../src/areas/mysql/password.ts'
import type { Filling } from '../../src/host/backup/databases.ts'
import { DatabaseContent } from '../../src/host/debian/db/content/content.ts'
import { Databases } from '../../src/host/debian/db/databases.ts'
import { FullDisk } from '../../src/host/debian/db/full-disk.ts'
import { sqlUsers } from '../../src/host/debian/programs/sql-user.ts'
import { db } from '../../src/host/parts/db/index.ts'
import { account, tempDir } from '../host/helpers.ts'
import { hasMariaDb, MariaDb } from '../mysql/mariadb.ts'
import { soon } from '../wait-for.ts'

const GB = 1024 ** 3
const password = 'canary-Dunlin-7730'

describe.skipIf(!hasMariaDb)('databases on a disk that is nearly full', { timeout: 60_000 }, () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await MariaDb.start()
  }, 60_000)
  afterAll(() => server?.stop())

  /** An account with a database of as many bytes, whose disk quota is 1 MB; and how much of 100 GB is free. */
  async function machine(prefix: string, bytes: number, limit = '1') {
    const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => void warned.mockRestore())
    const root = tempDir()
    const at = (name: string) => join(root, name)
    const places = { data: at('data'), databases: at('db.d'), limits: at('limits.d'), closed: at('closed.json') }
    for (const folder of [places.data, places.databases, places.limits]) mkdirSync(folder)
    const state = account({
      parts: {
        db: {
          prefix,
          hosts: [],
          databases: [{ name: `${prefix}shop`, collation: 'utf8mb4_unicode_ci', gone: false }],
          users: ['app', 'api'].map((name) => ({
            name: `${prefix}${name}`,
            hash: nativeHash(password),
            gone: false,
            grants: [{ database: `${prefix}shop`, privileges: name === 'app' ? ['ALL'] : ['SELECT', 'INSERT'] }],
          })),
        },
      },
    })
    const databases = new Databases(server.sql)
    await databases.apply(state)
    const [file] = db.render(state, state.parts.db, {} as never, {} as never).files
    writeFileSync(join(places.databases, `${state.username}.sql`), String(file!.content))
    writeFileSync(join(places.limits, state.username), `disk_mb=${limit}\n`)
    mkdirSync(join(places.data, `${prefix}shop`))
    const grow = (size: number) => writeFileSync(join(places.data, `${prefix}shop`, 't.ibd'), Buffer.alloc(size, 1))
    grow(bytes)
    const space = { free: GB, total: 100 * GB }
    const fullDisk = new FullDisk(server.sql, places, async () => space)
    const look = () => new FullDisk(server.sql, places, async () => space).look()
    const as = (user: string, text: string) =>
      server.run(text, [`--user=${prefix}${user}`, `--password=${password}`, `${prefix}shop`]).stderr
    expect(as('app', 'CREATE TABLE t (id int); INSERT INTO t VALUES (1), (2);')).toBe('')
    const closed = () => (existsSync(places.closed) ? JSON.parse(readFileSync(places.closed, 'utf8')) : [])
    return {
      as,
      look,
      fullDisk,
      lists: places.databases,
      space,
      grow,
      closed,
      state,
      apply: () => databases.apply(state),
      differences: () => databases.differences(state),
    }
  }

  test('an account beyond its quota can read and delete, but not write, and its sessions end', async () => {
    const { as, look, closed, state } = await machine('one_', 2_000_000)
    const session = server.session('one_app', password)
    const ended = new Promise((resolve) => session.once('exit', resolve))
    await soon(() =>
      expect(server.ask("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'one_app'")).toBe('1\n'),
    )
    await look()
    await ended
    for (const statement of [
      'INSERT INTO t VALUES (3)',
      'UPDATE t SET id = 4',
      'CREATE TABLE u (id int)',
      'CREATE PROCEDURE p() SELECT 1',
      'ALTER TABLE t ADD x int',
    ])
      expect(as('app', statement)).toContain('denied')
    expect(as('api', 'INSERT INTO t VALUES (3)')).toContain('denied')
    expect(as('app', 'SELECT * FROM t; DELETE FROM t WHERE id = 1; TRUNCATE TABLE t')).toBe('')
    expect(as('app', 'DROP TABLE t')).toBe('')
    expect(closed()).toEqual([state.username])
  })

  test('what an apply or a link to phpMyAdmin grants again is revoked at once, and views are not made', async () => {
    const { as, look, apply, fullDisk, state, lists } = await machine('two_', 2_000_000)
    expect(as('app', 'CREATE VIEW v AS SELECT 1')).toBe('')
    await look()
    await apply()
    expect(as('app', 'INSERT INTO t VALUES (3)')).toBe('')
    await fullDisk.keepClosed(state.username)
    expect(as('app', 'INSERT INTO t VALUES (3)')).toContain('denied')
    expect(as('app', 'CREATE VIEW w AS SELECT 1')).toContain('denied')
    const granted = (username: string) => fullDisk.keepClosed(username)
    const users = sqlUsers(server.sql, { noteAuthor() {} }, granted, lists)
    await users.open({ name: 'panel_web_2', password } as Parameters<typeof users.open>[0], state.username, [])
    const text = 'INSERT INTO two_shop.t VALUES (3)'
    expect(server.run(text, ['--user=panel_web_2', `--password=${password}`]).stderr).toContain('denied')
    await fullDisk.keepClosed('another')
  })

  test('no dump is loaded meanwhile', async () => {
    const { look, fullDisk, state, lists } = await machine('nine_', 2_000_000)
    await look()
    const isClosed = (username: string) => fullDisk.isClosed(username)
    const content = new DatabaseContent(server.sql, { lists, isClosed })
    const filling = { name: 'nine_shop', account: state } as unknown as Filling
    await expect(content.tryOut(filling, 1)).rejects.toThrow('nothing can be loaded until there is room')
  })

  test.each(['room', 'small', 'smallandroom'])(
    'writes go on once there is room, or its databases are small (%s)',
    async (kind) => {
      const { as, look, space, grow, closed, differences } = await machine(`${kind}_`, 2_000_000)
      await look()
      expect(as('app', 'INSERT INTO t VALUES (3)')).toContain('denied')
      if (kind !== 'room') grow(1000)
      if (kind !== 'small') space.free = 6 * GB
      if (kind === 'room') {
        await look()
        expect(closed()).toHaveLength(1)
        space.free = 7 * GB
      }
      await look()
      expect(closed()).toEqual([])
      expect(as('app', 'INSERT INTO t VALUES (3)')).toBe('')
      expect(as('api', 'INSERT INTO t VALUES (3)')).toBe('')
      expect(await differences()).toEqual([])
    },
  )

  test('routines, which all accounts have in one table, count', async () => {
    const { as, look, grow } = await machine('three_', 1000)
    const body = `'${'x'.repeat(700_000)}'`
    expect(as('app', `CREATE PROCEDURE p() SELECT ${body}`)).toBe('')
    grow(0)
    await look()
    expect(as('app', 'CREATE PROCEDURE q() SELECT 1')).toContain('denied')
  })

  test('nothing is revoked within a quota, without one, or while there is room', async () => {
    const within = await machine('four_', 500_000)
    const without = await machine('five_', 2_000_000, 'unlimited')
    const spacious = await machine('six_', 2_000_000)
    spacious.space.free = 6 * GB
    for (const { as, look, closed } of [within, without, spacious]) {
      await look()
      expect(as('app', 'INSERT INTO t VALUES (3)')).toBe('')
      expect(closed()).toEqual([])
    }
  })

  test('a transaction that makes the undo log grow ends, also of an account within its quota', async () => {
    const { as, look } = await machine('seven_', 1000)
    const client = server.session(
      'seven_app',
      password,
      'USE seven_shop; SET autocommit = 0; INSERT INTO t SELECT seq FROM seq_1_to_1100000; SELECT SLEEP(150)',
    )
    const ended = new Promise((resolve) => client.once('exit', resolve))
    const inserted = () =>
      expect(server.ask('SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_rows_modified > 1000000')).toBe(
        '1\n',
      )
    await vi.waitFor(inserted, { interval: 200, timeout: 120_000 })
    await look()
    await ended
    expect(as('app', 'INSERT INTO t VALUES (3)')).toBe('')
  }, 180_000)
})
