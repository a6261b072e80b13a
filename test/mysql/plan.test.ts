import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ActualDb, emptyServer, readActual } from '../../src/host/parts/db/actual.ts'
import { checkDb } from '../../src/host/parts/db/check.ts'
import { type DesiredDb, planDb } from '../../src/host/parts/db/plan.ts'
import type { DbState } from '../../src/host/parts/db/state.ts'
import { privileges } from '../../src/shared/sql/privileges.ts'

const hash = `*2470${'A'.repeat(36)}`
const other = `*${'B'.repeat(40)}`

const state: DbState = {
  prefix: 'alice_',
  hosts: [
    { host: '192.0.2.0/24', gone: false },
    { host: '192.0.2.7', gone: true },
  ],
  databases: [
    { name: 'alice_shop', collation: 'utf8mb4_unicode_ci', gone: false },
    { name: 'alice_old', collation: 'utf8mb4_unicode_ci', gone: true },
  ],
  users: [
    {
      name: 'alice_app',
      hash,
      gone: false,
      grants: [{ database: 'alice_shop', privileges: ['SELECT', 'UPDATE'] }],
    },
  ],
}
const desired = (over: Partial<DesiredDb> = {}): DesiredDb => ({ ...state, locked: false, ...over })

const network = '192.0.2.0/255.255.255.0'
const at = (host: string, over = {}) => ({ name: 'alice_app', host, hash, locked: false, ...over })
const inUse = (host: string, on: string, privileges: string[], user = 'alice_app') => ({ user, host, on, privileges })

/** A server that differs in every possible way. */
const drifted: ActualDb = {
  databases: ['alice_old', 'alice_foreign'],
  users: [at('localhost', { hash: other }), at('192.0.2.7'), at('10.0.0.1')],
  grants: [
    inUse('localhost', 'alice\\_shop', ['SELECT', 'INSERT']),
    inUse('localhost', 'alice\\_old', ['SELECT']),
    inUse('localhost', 'alice\\_old', ['EVENT', 'DROP'], 'alice_foreign'),
    inUse('localhost', 'alice\\_foreign', ['DROP'], 'alice_foreign'),
    inUse('192.0.2.7', 'alice\\_shop', ['SELECT']),
  ],
  sessions: [],
}

describe('plan', () => {
  test('has its steps in an order that can stop anywhere, and drops only what is marked as gone', () => {
    expect(planDb(desired(), drifted)).toEqual([
      "REVOKE SELECT ON `alice\\_old`.* FROM 'alice_app'@'localhost';",
      "REVOKE INSERT ON `alice\\_shop`.* FROM 'alice_app'@'localhost';",
      "REVOKE DROP, EVENT ON `alice\\_old`.* FROM 'alice_foreign'@'localhost';",
      'DROP DATABASE IF EXISTS `alice_old`;',
      "DROP USER IF EXISTS 'alice_app'@'192.0.2.7';",
      'CREATE DATABASE IF NOT EXISTS `alice_shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;',
      `CREATE USER IF NOT EXISTS 'alice_app'@'${network}' IDENTIFIED VIA mysql_native_password USING '${hash}' ACCOUNT UNLOCK;`,
      `ALTER USER 'alice_app'@'localhost' IDENTIFIED VIA mysql_native_password USING '${hash}' ACCOUNT UNLOCK;`,
      "GRANT UPDATE ON `alice\\_shop`.* TO 'alice_app'@'localhost';",
      `GRANT SELECT, UPDATE ON \`alice\\_shop\`.* TO 'alice_app'@'${network}';`,
      "KILL CONNECTION USER 'alice_app';",
    ])
  })

  test('only creates and grants against an empty server', () => {
    const plan = planDb(desired(), emptyServer)
    expect(plan.map((line) => line.split(' ')[0])).toEqual(['CREATE', 'CREATE', 'CREATE', 'GRANT', 'GRANT'])
  })

  test('locks before it ends sessions, and ends those that stayed open after a lock', () => {
    const there: ActualDb = { ...emptyServer, users: [at('localhost'), at(network, { locked: true })] }
    const locked = planDb(desired({ locked: true, databases: [] }), there)
    expect(locked).toEqual([
      `ALTER USER 'alice_app'@'localhost' IDENTIFIED VIA mysql_native_password USING '${hash}' ACCOUNT LOCK;`,
      "KILL CONNECTION USER 'alice_app';",
    ])
    const users = ['localhost', network].map((host) => at(host, { locked: true }))
    const open = { ...emptyServer, users, sessions: ['alice_app'] }
    expect(planDb(desired({ locked: true, databases: [] }), open)).toEqual(["KILL CONNECTION USER 'alice_app';"])
    expect(planDb(desired({ locked: true, databases: [] }), { ...open, sessions: ['alice_other'] })).toEqual([])
  })

  test('ends the sessions of a user that is deleted, changes its password or loses a privilege, and no others', () => {
    const user = state.users[0]!
    const hosts = state.hosts.slice(0, 0)
    const databases = state.databases.slice(0, 1)
    const there: ActualDb = {
      databases: ['alice_shop'],
      users: [at('localhost')],
      grants: [inUse('localhost', 'alice\\_shop', ['SELECT', 'UPDATE'])],
      sessions: ['alice_app'],
    }
    const kills = (over: Partial<DesiredDb>, actual = there) =>
      planDb(desired({ hosts, databases, ...over }), actual).filter((line) => line.startsWith('KILL'))
    const killed = ["KILL CONNECTION USER 'alice_app';"]
    expect(kills({})).toEqual([])
    expect(kills({ users: [{ ...user, gone: true }] })).toEqual(killed)
    expect(kills({ users: [{ ...user, gone: true }] }, { ...emptyServer, sessions: ['alice_app'] })).toEqual(killed)
    expect(kills({ users: [{ ...user, gone: true }] }, emptyServer)).toEqual([])
    expect(kills({ users: [{ ...user, hash: other }] })).toEqual(killed)
    expect(kills({ users: [{ ...user, grants: [{ database: 'alice_shop', privileges: ['SELECT'] }] }] })).toEqual(
      killed,
    )
    expect(kills({ users: [{ ...user, grants: [] }] })).toEqual(killed)
    expect(kills({ users: [{ ...user, grants: [{ database: 'alice_shop', privileges: ['ALL'] }] }] })).toEqual([])
    expect(kills({ databases: [{ ...databases[0]!, gone: true }] })).toEqual([])
  })

  test('names what to revoke and what to grant between ALL and a list', () => {
    const grants = (list: readonly string[]): ActualDb => ({
      databases: ['alice_shop'],
      users: [at('localhost')],
      grants: [inUse('localhost', 'alice\\_shop', [...list])],
      sessions: [],
    })
    const all = [...privileges, 'DELETE HISTORY']
    const with_ = (list: DbState['users'][number]['grants'][number]['privileges']) =>
      desired({
        hosts: [],
        databases: state.databases.slice(0, 1),
        users: [{ ...state.users[0]!, grants: [{ database: 'alice_shop', privileges: list }] }],
      })
    expect(planDb(with_(['ALL']), grants(all))).toEqual([])
    expect(planDb(with_(['ALL']), grants(privileges))).toEqual([
      "GRANT ALL PRIVILEGES ON `alice\\_shop`.* TO 'alice_app'@'localhost';",
    ])
    expect(planDb(with_(['ALL']), grants([...all, 'GRANT OPTION']))).toEqual([
      "REVOKE GRANT OPTION ON `alice\\_shop`.* FROM 'alice_app'@'localhost';",
      "KILL CONNECTION USER 'alice_app';",
    ])
    expect(planDb(with_(['SELECT']), grants(all))).toEqual([
      `REVOKE ${[...privileges.slice(1), 'DELETE HISTORY'].join(', ')} ON \`alice\\_shop\`.* FROM 'alice_app'@'localhost';`,
      "KILL CONNECTION USER 'alice_app';",
    ])
  })

  test('leaves alone what it could not name safely', () => {
    const grants = ["a'b", 'a`b', 'a\\b'].map((user) => inUse('localhost', 'alice\\_old', ['SELECT'], `alice_${user}`))
    expect(planDb(desired({ users: [] }), { ...emptyServer, grants })).toEqual([
      expect.stringContaining('CREATE DATABASE'),
    ])
  })
})

test('the output of a server in batch mode is parsed field by field', () => {
  const output = [
    'database\talice_shop',
    'database\talice_a\\tb',
    'session\talice_app',
    `user\talice_app\tlocalhost\t${hash}\t1`,
    `user\talice_api\t${network}\t${other}\tNULL`,
    "grant\t'alice_app'@'localhost'\talice\\\\_shop\tSELECT\tYES",
    "grant\t'alice_app'@'localhost'\talice\\\\_shop\tDROP\tYES",
    '',
  ].join('\n')
  expect(readActual(output)).toEqual({
    databases: ['alice_shop', 'alice_a\tb'],
    users: [
      { name: 'alice_app', host: 'localhost', hash, locked: true },
      { name: 'alice_api', host: network, hash: other, locked: false },
    ],
    grants: [inUse('localhost', 'alice\\_shop', ['GRANT OPTION', 'SELECT', 'DROP'])],
    sessions: ['alice_app'],
  })
})

describe('names that the host validates again', () => {
  const user = state.users[0]!
  const refused: [string, DbState][] = [
    ['a database of another account', { ...state, databases: [{ ...state.databases[0]!, name: 'bob_shop' }] }],
    ['a grant on one', { ...state, users: [{ ...user, grants: [{ database: 'bob_shop', privileges: ['ALL'] }] }] }],
    [
      'ALL beside others',
      { ...state, users: [{ ...user, grants: [{ database: 'alice_shop', privileges: ['ALL', 'DROP'] }] }] },
    ],
    ['a hash that is none', { ...state, users: [{ ...user, hash: "*' OR '1" }] }],
    ['a host that is a pattern', { ...state, hosts: [{ host: '%', gone: false }] }],
    ['a prefix that is none', { ...state, prefix: '' }],
    ['a name of the server', { ...state, users: [{ ...user, name: 'root' }] }],
  ]
  test.each(refused)('refuses %s', (_, wrong) => {
    expect(() => checkDb(wrong)).toThrow(/valid|prefix/)
  })

  test('writes no statement that contains what ends a name: any text', () => {
    const near = fc.stringMatching(/^alice_[a-z0-9_'"`\\;%\n -]{0,12}$/)
    fc.assert(
      fc.property(near, near, (database, name) => {
        const wild: DbState = {
          ...state,
          hosts: [],
          databases: [{ ...state.databases[0]!, name: database }],
          users: [{ ...user, name, grants: [{ database, privileges: ['ALL'] }] }],
        }
        try {
          checkDb(wild)
        } catch {
          return
        }
        for (const line of planDb({ ...wild, locked: false }, emptyServer))
          expect(line).toMatch(/^(CREATE|GRANT) [^\n;]*;$/)
        expect(`${database}${name}`).toMatch(/^[a-z0-9_]+$/)
      }),
      { numRuns: 1000 },
    )
  })
})
