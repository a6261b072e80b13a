import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeHash } from '../../src/areas/mysql/password.ts'
import { HostError } from '../../src/host/contract/driver.ts'
import type { Run } from '../../src/host/debian/commands.ts'
import { type Sql, sqlOf } from '../../src/host/debian/db/client.ts'
import { Databases } from '../../src/host/debian/db/databases.ts'
import { disconnectBusiest } from '../../src/host/debian/db/proxies.ts'
import type { DbState } from '../../src/host/parts/db/state.ts'
import { account, tempDir } from '../host/helpers.ts'
import { hasMariaDb, MariaDb } from '../mysql/mariadb.ts'

const hash = nativeHash('canary-Sandpiper-6631')

const stateOf = (prefix: string, over: Partial<DbState> = {}): DbState => ({
  prefix,
  hosts: [{ host: '192.0.2.7', gone: false }],
  databases: [{ name: `${prefix}shop`, collation: 'utf8mb4_unicode_ci', gone: false }],
  users: [{ name: `${prefix}app`, hash, gone: false, grants: [{ database: `${prefix}shop`, privileges: ['ALL'] }] }],
  ...over,
})

const bobWith = (db: DbState, suspended = false) => account({ suspended, parts: { db } })

describe.skipIf(!hasMariaDb)('databases of accounts on a MariaDB', { timeout: 60_000 }, () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await MariaDb.start()
  }, 60_000)
  afterAll(() => server?.stop())

  const received: string[][] = []
  const sql: Sql = async (statements) => {
    received.push([...statements])
    return server.ask(statements)
  }

  test('creates databases, and sends nothing to the server in a second apply', async () => {
    const databases = new Databases(sql)
    const bob = bobWith(stateOf('one_'))
    await databases.apply(bob)
    expect(await databases.differences(bob)).toEqual([])
    received.length = 0
    await databases.apply(bob)
    expect(received.flat().filter((statement) => !statement.startsWith('SELECT'))).toEqual([])
  })

  test('sends no query for an account without databases', async () => {
    const databases = new Databases(() => Promise.reject(new Error('It was asked.')))
    const none = bobWith(stateOf('none_', { databases: [], users: [] }))
    await databases.apply(none)
    expect(await databases.differences(none)).toEqual([])
  })

  test('shows databases that were changed by hand without a hash, and repairs them', async () => {
    const databases = new Databases(sql)
    const bob = bobWith(stateOf('two_'))
    await databases.apply(bob)
    server.ask("ALTER USER 'two_app'@'localhost' IDENTIFIED BY 'other'; DROP DATABASE two_shop;")
    expect(await databases.differences(bob)).toEqual(
      [
        'CREATE DATABASE IF NOT EXISTS `two_shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;',
        "ALTER USER 'two_app'@'localhost' IDENTIFIED VIA mysql_native_password USING '…' ACCOUNT UNLOCK;",
      ].map((note) => ({ path: 'mariadb:two_', change: 'changed', note })),
    )
    await databases.apply(bob)
    expect(await databases.differences(bob)).toEqual([])
  })

  test('locks databases while the account is suspended', async () => {
    const databases = new Databases(sql)
    await databases.apply(bobWith(stateOf('three_')))
    await databases.apply(bobWith(stateOf('three_'), true))
    expect(server.run('SELECT 1', ['--user=three_app', '--password=canary-Sandpiper-6631']).stderr).toContain('4151')
  })

  test('fails the apply for databases that the server did not accept', async () => {
    const silent: Sql = async (statements) => (statements[0]!.startsWith('SELECT') ? sql(statements) : '')
    await expect(new Databases(silent).apply(bobWith(stateOf('four_')))).rejects.toThrow(
      'MariaDB did not take over: CREATE DATABASE IF NOT EXISTS `four_shop`',
    )
  })

  test('drops databases by name with the grants of others on them, and nothing else', async () => {
    const databases = new Databases(sql)
    await databases.apply(bobWith(stateOf('five_')))
    server.ask(
      'CREATE DATABASE five_kept; CREATE USER five_other@localhost; GRANT SELECT ON `five\\_shop`.* TO five_other@localhost; GRANT SELECT ON `five\\_kept`.* TO five_other@localhost;',
    )
    const belongings = { databases: ['five_shop'], databaseUsers: ['five_app'] }
    await databases.remove(belongings)
    await databases.remove(belongings)
    expect(server.ask("SHOW DATABASES LIKE 'five%'")).toBe('five_kept\n')
    expect(server.ask("SELECT User, Host FROM mysql.global_priv WHERE User LIKE 'five%'")).toBe(
      'five_other\tlocalhost\n',
    )
    expect(server.ask("SELECT Db FROM mysql.db WHERE User = 'five_other'")).toBe('five\\\\_kept\n')
  })

  test('measures databases by account', async () => {
    const folder = tempDir()
    mkdirSync(folder, { recursive: true })
    const databases = new Databases(sql, folder)
    await databases.apply(bobWith(stateOf('six_')))
    server.ask('CREATE TABLE six_shop.t (a int) ENGINE=InnoDB;')
    writeFileSync(
      join(folder, 'bob'.concat('.sql')),
      'CREATE DATABASE IF NOT EXISTS `six_shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;\n',
    )
    const sizes = await databases.sizes(['bob', 'nothing'])
    expect(sizes.get('bob')).toEqual([{ name: 'six_shop', bytes: expect.any(Number) }])
    expect(sizes.get('bob')![0]!.bytes).toBeGreaterThan(0)
    expect(sizes.get('nothing')).toEqual([])
  })
})

describe('a server without a free connection', () => {
  const full = new HostError('install', '/usr/bin/mariadb failed: ERROR 1040 (08004): Too many connections')
  const units = ['small 41', 'large 42', 'idle 0', 'larger 43'].map((one) => {
    const [name, pid] = one.split(' ')
    return `Id=panel-mysql@${name}.service\nMainPID=${pid}`
  })

  function machine(failures: number) {
    const ran: string[] = []
    let left = failures
    const run: Run = async (program, args) => {
      ran.push(program === '/usr/bin/mariadb' ? program : args.join(' '))
      if (program !== '/usr/bin/mariadb') return args[0] === 'show' ? units.join('\n\n') : ''
      if (left-- > 0) throw full
      return 'fine'
    }
    return { ran, run }
  }

  test('loses the connections of the accounts with the most', async () => {
    const { ran, run } = machine(0)
    await disconnectBusiest(run, (pid) => ({ 41: 3, 42: 180, 43: 190 })[Number(pid)] ?? 0)
    expect(ran[1]).toBe('stop panel-mysql@larger.service panel-mysql@large.service')
  })

  test('loses those of all accounts if that is not enough, and is then given up', async () => {
    const once = machine(1)
    expect(await sqlOf(once.run, () => true)(['x'])).toBe('fine')
    expect(once.ran).toEqual([
      '/usr/bin/mariadb',
      expect.stringMatching(/^show /),
      expect.stringMatching(/^stop /),
      '/usr/bin/mariadb',
    ])
    const always = machine(3)
    await expect(sqlOf(always.run, () => true)(['x'])).rejects.toThrow('Too many connections')
    expect(always.ran.slice(-2)).toEqual(['stop panel-mysql@*.service', '/usr/bin/mariadb'])
  })
})

test("MariaDB's errors are reported without a hash, and a missing server is named", async () => {
  const fails = () => Promise.reject(new HostError('install', `near '${hash}'`))
  await expect(sqlOf(fails, () => true)(['x'])).rejects.toThrow("near '…'")
  await expect(sqlOf(fails, () => false)(['x'])).rejects.toThrow('MariaDB is not installed on this machine.')
})
